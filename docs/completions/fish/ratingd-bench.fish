# fish completion for ratingd-bench(1)

complete -c ratingd-bench -f
complete -c ratingd-bench -l connections -x -d 'How many clients'
complete -c ratingd-bench -l pipeline -x -d 'How many requests each keeps under way'
complete -c ratingd-bench -l seconds -x -d 'How long to measure'
complete -c ratingd-bench -l warm-up -x -d 'How long to run before that'
complete -c ratingd-bench -l patience -x -d 'How long to wait for an answer'
complete -c ratingd-bench -l mix -xa 'event notify session activity status ping' -d 'What is sent'
complete -c ratingd-bench -l socket -rF -d 'The daemon at this socket'
complete -c ratingd-bench -l user -d "This user's own daemon"
complete -c ratingd-bench -l system -d 'The daemon of the machine'
complete -c ratingd-bench -l json -d 'Print JSON'
complete -c ratingd-bench -l peer -xa 'ratingd redis echo' -d 'What stands behind the socket'
complete -c ratingd-bench -s h -l help -d 'Show a summary'
complete -c ratingd-bench -l version -d 'Print the version'
