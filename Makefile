# Everything a person does with this tree. `make` alone lists it.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.ONESHELL:
.SUFFIXES:
.DELETE_ON_ERROR:

SWIFT ?= swift
# Passed to every `swift build`, for instance SWIFT_FLAGS='-j 2'.
SWIFT_FLAGS ?=
# What `make bench` is to measure; without a word all, and the document is written anew.
BENCH ?= --document docs/BENCHMARKS.md

PREFIX ?= /usr/local
DESTDIR ?=
bindir = $(PREFIX)/bin
mandir = $(PREFIX)/share/man
docdir = $(PREFIX)/share/doc/ratingd
unitdir = $(PREFIX)/lib/systemd

# Debian's names; the compiler is for RapidJSON's C++ and for the tests' own preloaded clock.
BUILD_PACKAGES = g++ libinih-dev libsqlite3-dev python3 rapidjson-dev
# What Swift's own programs need; installed if they do not start.
SWIFT_PACKAGES = libcurl4-openssl-dev libncurses-dev libxml2-dev
PAGE_PACKAGES = scdoc
# A real systemd is booted by root only; who is not root has those tests skipped.
LAB_PACKAGES = bubblewrap busybox-static dbus-user-session fish flatpak libpam-systemd man-db mmdebstrap \
    ostree procps systemd-container zsh
IS_ROOT = $(filter 0,$(shell id -u))
# sqlite3: what ratingd(8) says of damaged state is done.
TEST_PACKAGES = $(PAGE_PACKAGES) sqlite3 $(if $(IS_ROOT),$(LAB_PACKAGES))
PROOF_PACKAGES = gcc spin
GUARD_PACKAGES = binutils valgrind
# What ratingd is measured beside: not redis-server: that would start a service.
BENCH_PACKAGES = dbus-broker dbus-daemon libsimdjson-dev libsystemd-dev redis-tools
DEB_PACKAGES = $(PAGE_PACKAGES) debhelper dpkg-dev lintian

# How release files are built, here, for the Debian package and in CI; with plain
# `swift build -c release` they work as well, and keep 2.7 MB more in memory.
# - Functions that run at start stand together (order file, made by `make order`), so that few
#   pages of the file are mapped; lld can do that, and comes with the Swift toolchain.
# - Symbols that nobody looks up are not exported, and relative relocations are packed.
# - What Swift needs of the runtimes of C++ and C is inside, so that two libraries less are loaded:
#   the folder with nothing but libstdc++.a in it is looked through before that of the shared one.
# - No library is looked for in the folder of the program.
# - What tests in debug builds check, exclusive access to variables, is not checked again: it is a
#   sixth of the cost of an event.
STATIC = $(CURDIR)/.build/static
swiftc = $(addprefix -Xswiftc ,$(1))
link = $(addprefix -Xlinker ,$(1))
RELEASE_FLAGS = -c release --static-swift-stdlib --disable-local-rpath \
    $(call swiftc,-Xfrontend -function-sections -enforce-exclusivity=unchecked) \
    $(call swiftc,-use-ld=lld -L $(STATIC) -Xclang-linker -static-libgcc) \
    $(call link,--no-export-dynamic -z pack-relative-relocs) \
    $(call link,--symbol-ordering-file=$(CURDIR)/Sources/ratingd.order --no-warn-symbol-ordering)

DEBUG = .build/debug
RELEASE = .build/release
LAB_BUILD = $(if $(IS_ROOT),$(RELEASE),$(DEBUG))
PAGES = $(patsubst docs/man/%.scd,.build/man/%,$(wildcard docs/man/*.scd))

.PHONY: help setup build release programs peers pages demo test sanitize proof soak mutants guard bench order run install uninstall lint format deb clean

help: ## this list
	@echo 'make demo and make test do all of their set-up themselves.'
	sed -n 's/^\([a-z]*\):.*## /\1:/p' $(firstword $(MAKEFILE_LIST)) |
	    while IFS=: read -r name text; do printf '    make %-10s %s\n' "$$name" "$$text"; done
	echo
	echo 'Variables: PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) SWIFT=$(SWIFT)'
	echo '           STATE=DIR SOCKET=PATH CONFIG=DIR for make run; BENCH=OPTIONS for make bench'

setup: setup-build ## install the Debian packages that are missing; check for Swift

# One recipe for each list of packages: setup-build, setup-test, setup-guard, setup-bench, …
setup-build: packages = $(BUILD_PACKAGES)
setup-pages: packages = $(PAGE_PACKAGES)
setup-test: packages = $(BUILD_PACKAGES) $(TEST_PACKAGES)
setup-guard: packages = $(BUILD_PACKAGES) $(GUARD_PACKAGES)
setup-bench: packages = $(BUILD_PACKAGES) $(BENCH_PACKAGES)
setup-proof: packages = $(BUILD_PACKAGES) $(PROOF_PACKAGES)
setup-deb: packages = $(BUILD_PACKAGES) $(DEB_PACKAGES)
setup-%:
	@install_packages() {
	    echo "make: installing $$*"
	    root=(env DEBIAN_FRONTEND=noninteractive)
	    if [ "$$(id -u)" != 0 ]; then
	        if ! command -v sudo > /dev/null; then
	            echo 'make: these packages are missing, and there is no sudo to install them.' >&2
	            echo "make: as root: apt-get install $$*" >&2
	            exit 1
	        fi
	        root=(sudo "$${root[@]}")
	    fi
	    "$${root[@]}" apt-get update -qq
	    "$${root[@]}" apt-get install -qq -y --no-install-recommends "$$@"
	}
	if ! command -v dpkg-query > /dev/null; then
	    echo 'make: this is no Debian; please see that you have what these packages hold:' >&2
	    echo '    $(packages)' >&2
	else
	    missing=()
	    for package in $(packages); do
	        state=$$(dpkg-query -W -f '$${db:Status-Status}' "$$package" 2> /dev/null || true)
	        if [ "$$state" != installed ]; then missing+=("$$package"); fi
	    done
	    if [ $${#missing[@]} != 0 ]; then install_packages "$${missing[@]}"; fi
	fi
	# Who installs what others have built needs no compiler.
	if [ '$*' = pages ]; then exit; fi
	if ! command -v '$(SWIFT)' > /dev/null; then
	    echo 'make: there is no Swift compiler (looked for: $(SWIFT)).' >&2
	    echo 'make: install Swift 6.2 or later from https://www.swift.org/install/linux/' >&2
	    echo 'make: and put its usr/bin into PATH, or name it: make SWIFT=/path/to/swift' >&2
	    exit 1
	fi
	if ! '$(SWIFT)' --version > /dev/null 2>&1; then
	    if command -v dpkg-query > /dev/null; then install_packages $(SWIFT_PACKAGES); fi
	    '$(SWIFT)' --version
	fi

build: setup-build ## build for development
	$(SWIFT) build $(SWIFT_FLAGS)

release: setup-build programs ## build for use: optimized, with Swift's library inside

# Without a look at what is installed, for debian/rules.
programs: $(STATIC)/libstdc++.a
	$(SWIFT) build $(RELEASE_FLAGS) --product ratingd $(SWIFT_FLAGS)
	$(SWIFT) build $(RELEASE_FLAGS) --product ratingctl $(SWIFT_FLAGS)
	$(SWIFT) build $(RELEASE_FLAGS) --product ratingd-bench $(SWIFT_FLAGS)

$(STATIC)/libstdc++.a:
	@mkdir -p $(@D)
	ln -sf "$$($(CXX) -print-file-name=$(@F))" $@

pages: $(PAGES) ## make the man pages (in .build/man)

.build/man/%: docs/man/%.scd
	@command -v scdoc > /dev/null || $(MAKE) setup-pages
	if ! command -v scdoc > /dev/null; then
	    echo 'make: there is no scdoc, which makes the man pages.' >&2
	    exit 1
	fi
	mkdir -p .build/man
	scdoc < $< > $@

demo: build ## see it work: a real daemon, a played app, every line with its time
	@python3 Tests/demo/demo.py --bin $(DEBUG)

# The lab takes what is shipped: in its sandboxes there is no Swift library to load, and the
# debugging runtime of Swift has its own ideas about SIGSEGV and SIGABRT.
test: setup-test $(if $(IS_ROOT),release) ## build everything and run all tests
	$(SWIFT) build --build-tests $(SWIFT_FLAGS)
	$(SWIFT) test --skip-build
	RATINGD_BIN_DIR=$(CURDIR)/$(DEBUG) Tests/daemon/run
	RATINGD_BIN_DIR=$(CURDIR)/$(DEBUG) Tests/docs/run
	RATINGD_BIN_DIR=$(CURDIR)/$(DEBUG) Tests/crash/run --quick
	Tests/tidy/run
	if [ -x Tests/systemd/run ]; then Tests/systemd/run --bin $(CURDIR)/$(LAB_BUILD); fi

proof: setup-proof release ## attack the promises, as long as CI does (docs/TESTING.md)
	Tests/model/run
	RATINGD_BIN_DIR=$(CURDIR)/$(RELEASE) Tests/crash/run
	Tests/simulation/run --sanitized 10000
	FUZZ_SEED=1 Tests/fuzz/run 60

soak: proof mutants ## attack them for hours
	RATINGD_BIN_DIR=$(CURDIR)/$(RELEASE) Tests/crash/run --soak
	Tests/sanitize/run address
	Tests/sanitize/run thread
	Tests/simulation/run 1000000
	Tests/fuzz/run 3600

sanitize: setup-test ## run the tests with the address sanitizer, as CI does
	Tests/sanitize/run address

mutants: setup-build ## break the source in many ways, one after the other; tests have to notice
	Tests/mutants/run

guard: setup-guard release ## no event dearer and no idle daemon larger than it is allowed to be
	Tests/bench/instructions
	RATINGD_BIN_DIR=$(CURDIR)/$(RELEASE) Tests/daemon/run test_idle

bench: setup-bench release peers ## measure it beside Redis, D-Bus and others (docs/BENCHMARKS.md)
	Tests/bench/run $(BENCH)

peers:
	@$(MAKE) -C Tests/bench/peers BUILD=$(CURDIR)/.build/bench-peers

order: setup-guard programs ## list anew which functions are to stand together
	Tests/bench/order > .build/ratingd.order
	mv .build/ratingd.order Sources/ratingd.order
	# The build does not see that the list is another one.
	rm -f $(RELEASE)/ratingd $(RELEASE)/ratingctl $(RELEASE)/ratingd-bench

run: build ## a daemon in the foreground, on throw-away state unless STATE=DIR is given
	@state='$(STATE)'
	if [ -z "$$state" ]; then
	    state=$$(mktemp -d "$${TMPDIR:-/tmp}/ratingd-run.XXXXXX")
	    trap 'rm -rf "$$state"' EXIT
	    echo "state:  $$state (removed at the end)"
	else
	    echo "state:  $$state"
	fi
	socket='$(SOCKET)'
	socket=$${socket:-$$state/ratingd.sock}
	echo "socket: $$socket"
	echo "try:    $(DEBUG)/ratingctl --socket $$socket ping"
	config=()
	if [ -n '$(CONFIG)' ]; then config=(--config '$(CONFIG)'); fi
	# Ctrl-C reaches the daemon too: it says good-bye to its clients and ends with 0.
	trap : INT
	$(DEBUG)/ratingd --socket "$$socket" --state "$$state" "$${config[@]}"

INSTALLED_PROGRAMS = $(addprefix $(RELEASE)/,ratingd ratingctl ratingd-bench)

# Release files are built when they are missing only, so that root need not have a compiler.
$(INSTALLED_PROGRAMS):
	@$(MAKE) release

# SOURCE:FOLDER of every file that is copied as it is; units have the path of the binaries in them.
INSTALLED = \
    $(foreach page,$(PAGES),$(page):$(mandir)/man$(subst .,,$(suffix $(page)))) \
    $(foreach unit,$(wildcard systemd/user/*),$(unit):$(unitdir)/user) \
    $(foreach unit,$(wildcard systemd/system/*),$(unit):$(unitdir)/system) \
    $(foreach file,$(wildcard systemd/*.catalog),$(file):$(unitdir)/catalog) \
    $(foreach file,$(wildcard systemd/sysusers.d/*),$(file):$(PREFIX)/lib/sysusers.d) \
    $(foreach file,$(wildcard docs/completions/bash/*),$(file):$(PREFIX)/share/bash-completion/completions) \
    $(foreach file,$(wildcard docs/completions/zsh/*),$(file):$(PREFIX)/share/zsh/site-functions) \
    $(foreach file,$(wildcard docs/completions/fish/*),$(file):$(PREFIX)/share/fish/vendor_completions.d) \
    docs/journal.md:$(docdir) \
    $(foreach file,$(wildcard docs/examples/*.conf),$(file):$(docdir)/examples)

# Only the service of the machine has a user of its own.
ADD_USER = $(if $(shell command -v systemd-sysusers),systemd-sysusers $(PREFIX)/lib/sysusers.d/ratingd.conf,useradd \
    --system --user-group --no-create-home --home-dir /var/lib/ratingd --shell /usr/sbin/nologin ratingd)

install: $(INSTALLED_PROGRAMS) $(PAGES) ## install below PREFIX (first: make release)
	@install -D -t '$(DESTDIR)$(bindir)' $(INSTALLED_PROGRAMS)
	for pair in $(INSTALLED); do
	    source=$${pair%%:*} folder=$${pair#*:}
	    install -D -m 0644 -t "$(DESTDIR)$$folder" "$$source"
	    case $$source in
	    *.service) sed -i 's,=/usr/bin/,=$(bindir)/,' "$(DESTDIR)$$folder/$${source##*/}" ;;
	    esac
	done
	echo 'installed below $(DESTDIR)$(PREFIX)'
	if [ -z '$(DESTDIR)' ]; then
	    echo 'for one user:  systemctl --user daemon-reload'
	    echo '               systemctl --user enable --now ratingd.socket'
	    echo 'for the machine, as root:'
	    echo '               $(ADD_USER)'
	    echo '               systemctl daemon-reload'
	    echo '               systemctl enable --now ratingd.socket'
	    echo 'for journalctl -x, as root: journalctl --update-catalog'
	fi

uninstall: ## remove what install put there; state and configuration stay
	@for program in $(notdir $(INSTALLED_PROGRAMS)); do rm -f '$(DESTDIR)$(bindir)/'$$program; done
	for pair in $(INSTALLED); do
	    source=$${pair%%:*} folder=$${pair#*:}
	    rm -f "$(DESTDIR)$$folder/$${source##*/}"
	done
	for folder in examples .; do
	    if [ -d '$(DESTDIR)$(docdir)/'$$folder ]; then
	        rmdir --ignore-fail-on-non-empty "$$(realpath '$(DESTDIR)$(docdir)/'$$folder)"
	    fi
	done
	echo 'removed from $(DESTDIR)$(PREFIX)'

lint: ## check the format of all Swift files
	$(SWIFT) format lint --strict -r Package.swift Sources Tests

format: ## bring all Swift files into that format
	$(SWIFT) format -i -r Package.swift Sources Tests

deb: setup-deb ## build the Debian package (in .build/deb)
	dpkg-buildpackage -us -uc -b
	mkdir -p .build/deb
	mv ../ratingd*_$$(dpkg-parsechangelog -S Version)_* .build/deb/
	lintian --allow-root --fail-on error,warning .build/deb/ratingd_*.changes
	ls -1 .build/deb/*.deb

clean: ## remove what was built
	rm -rf .build
