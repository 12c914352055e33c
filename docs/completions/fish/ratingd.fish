# fish completion for ratingd(8)

complete -c ratingd -f
complete -c ratingd -l user -d 'Serve the user who starts it'
complete -c ratingd -l system -d 'Serve all users of the machine'
complete -c ratingd -l socket -rF -d 'Listen at this path'
complete -c ratingd -l state -rF -d 'Keep the state here'
complete -c ratingd -l config -rF -d 'Read the configuration from here alone'
complete -c ratingd -l check-config -d 'Say what is wrong with the configuration'
complete -c ratingd -s h -l help -d 'Show a summary'
complete -c ratingd -l version -d 'Print the version'
