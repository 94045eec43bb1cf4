"""The completion scripts: each asks `ctbnlab __complete` what may come next; files are left to the shell."""

_BASH = r"""
_ctbnlab() {
    local value description
    COMPREPLY=()
    while IFS=$'\t' read -r value description; do
        case $value in
            # Without a candidate, bash completes file names, with its own quoting.
            :files) compopt -o default ;;
            :folders) compopt -o dirnames ;;
            *=) compopt -o nospace; COMPREPLY+=("$value") ;;
            *) COMPREPLY+=("$value") ;;
        esac
    done < <(ctbnlab __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -F _ctbnlab ctbnlab
"""

_ZSH = r"""
#compdef ctbnlab
_ctbnlab() {
    local line files=
    local -a values names
    for line in "${(@f)$(ctbnlab __complete "${(@Q)words[2,CURRENT]}" 2> /dev/null)}"; do
        case $line in
            '') ;;
            :files) files='_files' ;;
            :folders) files='_files -/' ;;
            *=*$'\t'*|*=) names+=("${line%%$'\t'*}") ;;
            *$'\t'*) values+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
            *) values+=("${line//:/\\:}") ;;
        esac
    done
    [[ $PREFIX == --*=* ]] && compset -P '*='
    (( $#values )) && _describe -t values ctbnlab values
    (( $#names )) && compadd -S '' -- $names
    [[ -n $files ]] && ${=files}
    return 0
}
if [[ $funcstack[1] == _ctbnlab ]]; then
    _ctbnlab "$@"  # in a folder of fpath, as the file _ctbnlab
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
    compdef _ctbnlab ctbnlab
fi
"""

_FISH = r"""
function __ctbnlab_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    # fish escapes what it completes: a name is looked up without backslashes and quotes.
    set -l plain (string unescape -- $current; or echo -- $current)
    set -l option (string match -r -- '^--[^=]*=' $current)
    for line in (ctbnlab __complete $words[2..-1] "$current" 2> /dev/null)
        switch $line
            case :files
                __fish_complete_path "$(string replace -- "$option" '' "$plain")" | string replace -r '^' -- "$option"
            case :folders
                __fish_complete_directories "$(string replace -- "$option" '' "$plain")" | string replace -r '^' -- "$option"
            case '*'
                echo "$option$line"
        end
    end
end
complete -c ctbnlab -f -a '(__ctbnlab_complete)'
"""  # noqa: E501 - lines of a shell

SCRIPTS = {"bash": _BASH.lstrip(), "zsh": _ZSH.lstrip(), "fish": _FISH.lstrip()}
