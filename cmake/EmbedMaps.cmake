# SPDX-License-Identifier: Apache-2.0
# cmake -D OUT=FILE.c -D MAPS=FILE;FILE... -P EmbedMaps.cmake: the maps as ww_shipped_maps (trace/src/opcode-priv.h).
set(text "/* SPDX-License-Identifier: Apache-2.0 */\n/* Made of configs/opcodes by cmake/EmbedMaps.cmake. */\n#include \"opcode-priv.h\"\n\n")
set(table "")
foreach(map IN LISTS MAPS)
    get_filename_component(stem ${map} NAME_WE)
    file(READ ${map} bytes HEX)
    string(LENGTH "${bytes}" digits)
    math(EXPR length "${digits} / 2")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND text "static const unsigned char text_${stem}[] = {${bytes}};\n")
    string(APPEND table "    {\"${stem}\", text_${stem}, ${length}},\n")
endforeach()
file(WRITE ${OUT} "${text}\nconst WwShippedMap ww_shipped_maps[] = {\n${table}    {0},\n};\n")
