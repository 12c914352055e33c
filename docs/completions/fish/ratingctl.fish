# fish completion for ratingctl(1)

# The ids of the apps that the daemon knows, by the options that were typed so far.
function __ratingctl_apps
    set -l words (commandline -opc)
    set -l where
    for index in (seq (count $words))
        switch $words[$index]
            case --user --system
                set where $words[$index]
            case --socket
                set where --socket $words[(math $index + 1)]
        end
    end
    ratingctl $where --json=short apps 2>/dev/null |
        string match -ar '"app":"[^"]*"' | string replace -r '"app":"(.*)"' '$1'
end

# The verb and its arguments so far, one a line.
function __ratingctl_words
    set -l words (commandline -opc)[2..-1]
    set -l skip 0
    for word in $words
        if test $skip = 1
            set skip 0
        else if test "$word" = --socket
            set skip 1
        else if not string match -q -- '-*' $word
            echo $word
        end
    end
end

function __ratingctl_no_verb
    test (count (__ratingctl_words)) -eq 0
end

# Whether the verb is one of the given ones and has that many arguments so far.
function __ratingctl_at
    set -l words (__ratingctl_words)
    test (count $words) -eq (math $argv[1] + 1); and contains -- $words[1] $argv[2..-1]
end

function __ratingctl_verb
    set -l words (__ratingctl_words)
    test (count $words) -gt 0; and contains -- $words[1] $argv
end

complete -c ratingctl -f
complete -c ratingctl -n __ratingctl_no_verb -l user -d 'The daemon of the calling user'
complete -c ratingctl -n __ratingctl_no_verb -l system -d 'The daemon of the machine'
complete -c ratingctl -n __ratingctl_no_verb -l socket -rF -d 'The daemon at this path'
complete -c ratingctl -l json -d 'Print JSON'
complete -c ratingctl -l no-pager -d 'Do not use a pager'

for verb in "status	Counters and verdict of an app, or the daemon" "explain	Every rule for an app" \
        "apps	The apps that are known" "history	The prompts of an app" \
        "report	Requests, refusals, grants and outcomes" \
        "watch	Decisions and counters as they happen" "top	The busiest apps" \
        "call	Send one request" "session	Count a session" "event	Count an event" \
        "activity	Say that the user is active" "request	Ask for a prompt" \
        "outcome	Report what became of a prompt" "opt-out	Never ask about an app again" \
        "opt-in	Ask about an app again" "forget	Delete the counters of an app" \
        "review	Where a review can be written" "whoami	How the daemon sees the caller" \
        "stats	Counters and limits of the daemon" "ping	A sign of life" \
        "reload	Read the configuration again" "verify	Check configuration files" \
        "simulate	Try rules on an imagined course" "export	Write all data as JSON" \
        "import	Read exported data back" "clock	Repair stored times" \
        "doctor	Find out what is wrong" "socket-path	Where the socket is" \
        "logs	The daemon's journal" "version	Versions of both programs"
    set -l pair (string split \t -- $verb)
    complete -c ratingctl -n __ratingctl_no_verb -a $pair[1] -d $pair[2]
end

complete -c ratingctl -n '__ratingctl_at 0 status explain history report session event activity \
    request opt-out opt-in forget review; or __ratingctl_verb watch' -a '(__ratingctl_apps)'
complete -c ratingctl -n '__ratingctl_at 1 outcome' \
    -a 'shown rated later declined never dismissed failed'
complete -c ratingctl -n '__ratingctl_at 0 call' -a 'hello session event activity request cancel \
    outcome status history report review_url subscribe unsubscribe whoami apps opt_out opt_in forget \
    repair_clock reload stats ping'
complete -c ratingctl -n '__ratingctl_at 0 clock' -a repair
complete -c ratingctl -n '__ratingctl_verb verify; or __ratingctl_at 0 import' -F
complete -c ratingctl -n '__ratingctl_verb request' -l no-wait -d 'Do not wait for the end'
complete -c ratingctl -n '__ratingctl_verb opt-out opt-in' -l all -d 'All apps'
complete -c ratingctl -n '__ratingctl_verb forget' -l ledger -d 'Also the details of prompts'
