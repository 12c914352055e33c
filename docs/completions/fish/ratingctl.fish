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
            case '--socket=*'
                set where $words[$index]
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
        else if contains -- "$word" --socket --timeout --uid --limit -n --since --topic --count \
                --debounce --on-activity
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
complete -c ratingctl -l user -d 'The daemon of the calling user'
complete -c ratingctl -l system -d 'The daemon of the machine'
complete -c ratingctl -l socket -rF -d 'The daemon at this path'
complete -c ratingctl -l json -a 'short pretty' -d 'Print JSON'
complete -c ratingctl -l no-pager -d 'Do not use a pager'
complete -c ratingctl -l timeout -x -d 'Give up after so many seconds'
complete -c ratingctl -s h -l help -d 'Show a summary'
complete -c ratingctl -n __ratingctl_no_verb -l version -d 'Print the version'

for verb in "status	How an app stands, or the daemon" "explain	Every rule for an app" \
        "apps	The apps that were seen" "history	The prompts of an app" \
        "report	Requests, refusals, grants and outcomes" \
        "watch	Decisions and counters as they happen" "session	Count a session" \
        "event	Count an event" "activity	Tell that the user is busy" \
        "request	Ask for a prompt" "outcome	Tell what became of a prompt" \
        "review	Where a review can be written" "opt-out	Never ask about an app" \
        "opt-in	Allow prompts again" "forget	Delete the counters of an app" \
        "ping	See whether the daemon answers" "stats	Counters and limits of the daemon" \
        "whoami	Who the daemon thinks is calling" "reload	Read the configuration again" \
        "clock	Repair stored times" "logs	The daemon's journal" "call	Send one request" \
        "verify	Check configuration files" \
        "socket-path	Where the socket is" "version	The version of ratingctl"
    set -l pair (string split \t -- $verb)
    complete -c ratingctl -n __ratingctl_no_verb -a $pair[1] -d $pair[2]
end

complete -c ratingctl -n '__ratingctl_at 0 status explain history report session event activity \
    request opt-out opt-in forget review logs; or __ratingctl_verb watch' -a '(__ratingctl_apps)'
complete -c ratingctl -n '__ratingctl_at 1 outcome' \
    -a 'shown rated later declined never dismissed failed'
complete -c ratingctl -n '__ratingctl_at 0 call' -a 'hello session event activity request cancel \
    outcome status history report review_url subscribe unsubscribe whoami apps opt_out opt_in forget \
    repair_clock reload stats ping'
complete -c ratingctl -n '__ratingctl_at 0 clock' -a repair
complete -c ratingctl -n '__ratingctl_verb verify' -F
complete -c ratingctl -n '__ratingctl_verb status explain apps history report opt-out opt-in forget' \
    -l uid -x -d 'Of this user'
complete -c ratingctl -n '__ratingctl_verb apps history logs' -s n -l limit -x -d 'At most so many'
complete -c ratingctl -n '__ratingctl_verb report logs' -l since -x -d 'Only from this time on'
complete -c ratingctl -n '__ratingctl_verb logs' -s f -l follow -d 'Go on printing'
complete -c ratingctl -n '__ratingctl_verb watch' -l topic -xa 'decisions counters' \
    -d 'Only this kind'
complete -c ratingctl -n '__ratingctl_verb event' -l count -x -d 'So many at once'
complete -c ratingctl -n '__ratingctl_verb request' -l no-wait -d 'Do not wait for the end'
complete -c ratingctl -n '__ratingctl_verb request' -l debounce -x -d 'The quiet time, in ms'
complete -c ratingctl -n '__ratingctl_verb request' -l confirm -a 'yes no' \
    -d 'Ask once more, or answer at once'
complete -c ratingctl -n '__ratingctl_verb request' -l on-activity -xa 'cancel restart' \
    -d 'What activity does'
complete -c ratingctl -n '__ratingctl_verb request' -l agent -d "Let the desktop's agent show it"
complete -c ratingctl -n '__ratingctl_verb request' -l debug -d 'Without any rule'
complete -c ratingctl -n '__ratingctl_verb opt-out opt-in' -l all -d 'All apps'
complete -c ratingctl -n '__ratingctl_verb forget' -l ledger -d 'Also the details of prompts'
