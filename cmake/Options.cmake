# SPDX-License-Identifier: Apache-2.0
# Options of the build, and the compiler flags that follow from them.

option(WW_WERROR "Warnings are errors" ON)
option(WW_LTO "Optimise across files when linking the command (GCC only)" OFF)
set(WW_PROFILE "" CACHE STRING "Profile-guided (GCC only): 'generate' notes what runs, 'use' optimises for it")
set(WW_PROFILE_DIR "${CMAKE_SOURCE_DIR}/build/train/profile" CACHE PATH "Where WW_PROFILE writes and reads")
option(WW_COVERAGE "Instrument for gcovr" OFF)
option(WW_FUZZ "Build the fuzz targets of tests/meta/fuzz with libFuzzer (clang only)" OFF)
option(WW_BENCH_SYSTEMC "Build the SystemC comparison in bench/systemc" OFF)
set(WW_SANITIZE "" CACHE STRING "Sanitizers: 'address,undefined' or 'thread'")
option(WW_SANITIZE_TRAPS "Undefined behaviour is an illegal instruction, of which the address sanitizer says the line (handle_sigill=1), \
not a text: a process starts in half the time")

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Release keeps its symbols, so that a profile or a core file of a user can be read.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
if(CMAKE_C_FLAGS_DEBUG STREQUAL "-g") # CMake's own: no preset says another
    set(CMAKE_C_FLAGS_DEBUG "-Og -g3")
endif()

# C11 with GNU extensions, in the C library too. Empty, so that a file may also say it by itself.
add_compile_definitions($<$<COMPILE_LANGUAGE:C>:_GNU_SOURCE=>)
add_compile_options(
    -fno-semantic-interposition              # exported functions may be inlined inside the library
    -ffp-contract=off                        # the same doubles on every machine
    -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/= # __FILE__ in messages starts at the root of the tree
    $<$<COMPILE_LANGUAGE:C>:-Wall>
    $<$<COMPILE_LANGUAGE:C>:-Wextra>
    $<$<COMPILE_LANGUAGE:C>:-Wshadow>
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
    $<$<COMPILE_LANGUAGE:C>:-Wold-style-definition>
    $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
    $<$<COMPILE_LANGUAGE:C>:-Wpointer-arith>
    $<$<COMPILE_LANGUAGE:C>:-Wvla>
    $<$<COMPILE_LANGUAGE:C>:-Wundef>
    $<$<COMPILE_LANGUAGE:C>:-Wwrite-strings>
    $<$<COMPILE_LANGUAGE:C>:-Wformat-security>
    $<$<COMPILE_LANG_AND_ID:C,GNU>:-Wcast-align>            # clang's also refuses what offsetof is for
    $<$<COMPILE_LANG_AND_ID:C,GNU>:-Wduplicated-cond>
    $<$<COMPILE_LANG_AND_ID:C,GNU>:-Wlogical-op>
    $<$<COMPILE_LANGUAGE:C>:-Wno-unused-parameter>          # functions of a table share one signature
    $<$<COMPILE_LANGUAGE:C>:-Wno-missing-field-initializers> # rows of a descriptor leave out what is zero
    $<$<AND:$<COMPILE_LANGUAGE:C>,$<BOOL:${WW_WERROR}>>:-Werror>)

if(WW_SANITIZE)
    add_compile_options(-fsanitize=${WW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${WW_SANITIZE})
    if(WW_SANITIZE_TRAPS)
        add_compile_options(-fsanitize-undefined-trap-on-error)
    endif()
endif()

if(WW_COVERAGE)
    add_compile_options(--coverage -fprofile-update=atomic)
    add_link_options(--coverage)
endif()

if(WW_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "WW_FUZZ needs clang (libFuzzer); use the preset 'fuzz'")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Objects carry both machine code and GCC's own form ("fat"): the command (WW_ACROSS_FILES) is linked from the latter, all else as it is, in a
# tenth of the time. With -fno-lto anywhere in its words GCC gives a link no plug-in, whatever stands behind.
if(WW_LTO AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    set(CMAKE_AR ${CMAKE_C_COMPILER_AR})
    set(CMAKE_RANLIB ${CMAKE_C_COMPILER_RANLIB})
    add_compile_options($<$<COMPILE_LANGUAGE:C>:-flto=auto> $<$<COMPILE_LANGUAGE:C>:-ffat-lto-objects>)
    add_link_options("$<IF:$<BOOL:$<TARGET_PROPERTY:WW_ACROSS_FILES>>,-O2;-flto=auto,-fno-lto>")
    # Such objects hold a number that GCC draws: with that of the object's name, two builds are the same bytes.
    string(REPLACE "<FLAGS>" "<FLAGS> -frandom-seed=<OBJECT>" CMAKE_C_COMPILE_OBJECT "${CMAKE_C_COMPILE_OBJECT}")
endif()

# `./dev package` builds the command instrumented, lets it run the samples, and builds again. Profiles are found by the path of an
# object below its build folder, which is the same in both. What training did not reach is compiled as without a profile. Where
# a profile has much inlined, GCC 12 warns of loops past arrays that other lines end; the presets take warnings for no errors.
if(WW_PROFILE)
    if(NOT CMAKE_C_COMPILER_ID STREQUAL "GNU" OR NOT WW_PROFILE MATCHES "^(generate|use)$")
        message(FATAL_ERROR "WW_PROFILE is '${WW_PROFILE}' with ${CMAKE_C_COMPILER_ID}; expected generate or use, and GCC")
    endif()
    add_compile_options(-fprofile-${WW_PROFILE}=${WW_PROFILE_DIR} -fprofile-prefix-path=${CMAKE_BINARY_DIR})
    if(WW_PROFILE STREQUAL "generate")
        add_compile_options(-fprofile-update=single)
        add_link_options(-fprofile-generate)
    else()
        add_compile_options(-fprofile-partial-training -Wno-missing-profile
            $<$<COMPILE_LANGUAGE:C>:-Wno-array-bounds> $<$<COMPILE_LANGUAGE:C>:-Wno-aggressive-loop-optimizations>)
    endif()
endif()

# What platforms/, configs/ and cli/ use to find *.plat, *.conf and samples: in the tree they were built from, or
# installed; the last is relative to the folder of the running command, for an installed tree that was moved. Under
# each lie platforms/, configs/ and samples/.
file(RELATIVE_PATH datadir /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_DATADIR}/warpwright)
file(RELATIVE_PATH moduledir /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR}/warpwright/modules)
file(RELATIVE_PATH toprefix /${CMAKE_INSTALL_DATADIR}/warpwright /)
set(WW_DATADIR_DEFINITIONS
    WW_SOURCE_DATADIR="${CMAKE_SOURCE_DIR}"
    WW_INSTALL_DATADIR="${CMAKE_INSTALL_FULL_DATADIR}/warpwright"
    WW_RELATIVE_DATADIR="${datadir}"
    WW_RELATIVE_MODULEDIR="${moduledir}" # of installed modules, from the folder of the command
    WW_DATADIR_TO_PREFIX="${toprefix}")
