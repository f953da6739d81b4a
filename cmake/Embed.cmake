# SPDX-License-Identifier: Apache-2.0
# Files that become part of the program: text of pages.

set(WW_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

# ww_embed(<target> <symbol> <file>...)
# Adds to the target a source that defines `const char <symbol>[]`, the files one after the other (paths relative to the calling
# folder) and a NUL. Built again when one of them changes.
function(ww_embed target symbol)
    set(files "")
    foreach(file IN LISTS ARGN)
        cmake_path(ABSOLUTE_PATH file)
        list(APPEND files ${file})
    endforeach()
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c)
    add_custom_command(OUTPUT ${source}
        COMMAND ${CMAKE_COMMAND} -D WW_EMBED_SYMBOL=${symbol} -D WW_EMBED_OUTPUT=${source} -D "WW_EMBED_FILES=${files}"
            -P ${WW_EMBED_SCRIPT}
        DEPENDS ${files} ${WW_EMBED_SCRIPT}
        VERBATIM)
    target_sources(${target} PRIVATE ${source})
endfunction()

# Run as a script: writes the source. Bytes as numbers: a literal of this length is more than C promises.
if(CMAKE_SCRIPT_MODE_FILE AND DEFINED WW_EMBED_SYMBOL)
    set(bytes "")
    foreach(file IN LISTS WW_EMBED_FILES)
        file(READ ${file} hex HEX)
        string(APPEND bytes "${hex}")
    endforeach()
    string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    file(WRITE ${WW_EMBED_OUTPUT}
        "extern const char ${WW_EMBED_SYMBOL}[];\nconst char ${WW_EMBED_SYMBOL}[] = {\n${bytes}0};\n")
endif()
