# SPDX-License-Identifier: Apache-2.0
# Completion for bash: `source` this file, or install it as completions/warpwright of bash-completion. The command knows its own options,
# types, configs and parameters; here its words are only put together as they were typed (bash parts them at '=' and ':').
_warpwright() {
    local -a words=()
    local line=$COMP_LINE blank word i
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        blank=${line%%[![:space:]]*}
        line=${line#"$blank"}
        line=${line#"$word"}
        if ((i > 0)) && [[ -z $blank ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
    done
    local typed=${words[${#words[@]} - 1]} kept=
    [[ $typed == *[=:]* ]] && kept=${typed%"${typed##*[=:]}"} # stays as it is: only what is behind it is replaced
    COMPREPLY=()
    while IFS= read -r word; do
        word=${word#"$kept"}
        [[ $word == *[[:space:]\'\"\\\;\&\|\(\)\<\>\$\`\*\?!\#]* ]] && printf -v word %q "$word"
        COMPREPLY+=("$word")
    done < <("${words[0]/#\~\//$HOME/}" complete "${words[@]:1}" 2>/dev/null)
    if ((${#COMPREPLY[@]} > 0)); then
        for word in "${COMPREPLY[@]}"; do # something follows these
            [[ $word == *[=/:.] ]] && { compopt -o nospace 2>/dev/null; break; }
        done
    fi
}
complete -F _warpwright warpwright
