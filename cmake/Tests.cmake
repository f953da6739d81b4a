# SPDX-License-Identifier: Apache-2.0
# How a folder below tests/ becomes tests.

# Minutes each, most of all under a sanitizer: they begin first, so that at the end none runs alone.
set(WW_LONGEST_TESTS conformance trace checkpoint/test-checkpoint dram settings/test-settings cli golden/test-golden)

# Every test program sees: where its own files are, where the tree and the build are, and the command.
function(ww_set_test_environment test folder)
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${folder})
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT
        "G_TEST_SRCDIR=${folder}"
        "G_TEST_BUILDDIR=${CMAKE_BINARY_DIR}/${path}"
        "WW_SOURCE_DIR=${CMAKE_SOURCE_DIR}"
        "WW_BUILD_DIR=${CMAKE_BINARY_DIR}"
        "WARPWRIGHT=${CMAKE_BINARY_DIR}/bin/warpwright")
    set_property(TEST ${test} PROPERTY SKIP_RETURN_CODE 77)
    if(test IN_LIST WW_LONGEST_TESTS)
        set_property(TEST ${test} PROPERTY COST 100)
    endif()
endfunction()

# ww_add_test_room(<room> [FOLDER folder] [LABELS long|full] [TIMEOUT seconds])
#
# Everything in the folder (the calling one if not said):
#   *.c                one GTest program test_<room> (one of the files has main), run with --tap;
#   modules/*.c        a module each, <build folder of the room>/modules/<name>.so;
#   test-*.sh, *.py    run as they are; exit status 0 passes, 77 skips.
# Every program links ww_test_support (tests/support), whose headers are <tests/support/...>.
# A program may include the private headers of what it tests: by name, those of <room>/src or components/<room>;
# by their path in the tree, all (<components/memory/types.h>).
# Label `long`: release build only (slow under a sanitizer). Label `full`: only `./dev test --full`.
#
# Scripts start the command by the hundred, and to look for leaks takes as long as such a start: only programs do, and
# with `./dev test --full` all.
function(ww_add_test_room room)
    cmake_parse_arguments(arg "" "FOLDER;TIMEOUT" "LABELS" ${ARGN})
    if(NOT arg_TIMEOUT) # ends what hangs, not what is slow beside other work
        set(arg_TIMEOUT 1800)
    endif()
    if(WW_SANITIZE MATCHES "thread")
        math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 4") # conformance alone takes ten minutes
    endif()
    set(folder ${CMAKE_CURRENT_SOURCE_DIR})
    if(arg_FOLDER)
        set(folder ${arg_FOLDER})
    endif()
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${folder})
    set(tests "")

    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
    if(sources)
        add_executable(test_${room} ${sources})
        target_link_libraries(test_${room} PRIVATE ww_test_support)
        ww_link_everything(test_${room})
        foreach(private IN ITEMS ${room} ${room}/src components/${room})
            if(IS_DIRECTORY ${CMAKE_SOURCE_DIR}/${private})
                target_include_directories(test_${room} PRIVATE ${CMAKE_SOURCE_DIR}/${private})
            endif()
        endforeach()
        target_include_directories(test_${room} PRIVATE ${folder} ${CMAKE_SOURCE_DIR})
        add_test(NAME ${room} COMMAND test_${room} --tap)
        list(APPEND tests ${room})
    endif()

    file(GLOB modules CONFIGURE_DEPENDS ${folder}/modules/*.c)
    foreach(source IN LISTS modules)
        get_filename_component(name ${source} NAME_WE)
        set(module module_${room}_${name})
        add_library(${module} MODULE ${source})
        target_link_libraries(${module} PRIVATE PkgConfig::GLIB)
        target_include_directories(${module} PRIVATE
            ${CMAKE_SOURCE_DIR}/kernel/include ${CMAKE_SOURCE_DIR}/ports/include)
        set_target_properties(${module} PROPERTIES
            PREFIX "" OUTPUT_NAME ${name}
            LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${path}/modules)
        if(TARGET test_${room})
            add_dependencies(test_${room} ${module})
        endif()
    endforeach()

    file(GLOB scripts CONFIGURE_DEPENDS ${folder}/test-*.sh ${folder}/test*.py)
    foreach(script IN LISTS scripts)
        get_filename_component(name ${script} NAME_WE)
        add_test(NAME ${room}/${name} COMMAND ${script})
        list(APPEND tests ${room}/${name})
        if(WW_SANITIZE MATCHES "address" AND NOT DEFINED ENV{WW_TEST_FULL})
            set_property(TEST ${room}/${name} APPEND PROPERTY ENVIRONMENT "LSAN_OPTIONS=detect_leaks=0")
        endif()
    endforeach()

    foreach(test IN LISTS tests)
        ww_set_test_environment(${test} ${folder})
        set_tests_properties(${test} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
    endforeach()
endfunction()

# ww_add_fuzz_room(<folder>)
# Each *.c of the folder is one target with LLVMFuzzerTestOneInput, and corpus/<name>/ its inputs. With
# WW_FUZZ it becomes the fuzzer fuzz_<name>; otherwise a program that only replays the corpus, run as a test.
# All share common/*.c and the files of the command (without its main()).
function(ww_add_fuzz_room folder)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
    file(GLOB common CONFIGURE_DEPENDS ${folder}/common/*.c)
    if(WW_FUZZ)
        list(FILTER common EXCLUDE REGEX "/replay\\.c$") # has main(), as libFuzzer does
    else()
        list(FILTER common EXCLUDE REGEX "/mutate\\.c$") # needs libFuzzer
    endif()
    file(GLOB command CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cli/*.c)
    list(FILTER command EXCLUDE REGEX "/main\\.c$")
    add_library(fuzzed STATIC ${command})
    target_include_directories(fuzzed PUBLIC ${CMAKE_SOURCE_DIR}/cli $<TARGET_PROPERTY:warpwright_static,INTERFACE_INCLUDE_DIRECTORIES>)
    target_link_libraries(fuzzed PUBLIC ww_report ww_db ww_sweep PkgConfig::JANSSON PkgConfig::LZMA PkgConfig::ZSTD PkgConfig::ELF)
    target_compile_definitions(fuzzed PRIVATE WW_VERSION="${PROJECT_VERSION}" ${WW_DATADIR_DEFINITIONS})
    foreach(source IN LISTS sources)
        get_filename_component(name ${source} NAME_WE)
        string(REGEX REPLACE "^fuzz[_-]" "" name ${name})
        set(target fuzz_${name})
        add_executable(${target} ${source} ${common})
        target_include_directories(${target} PRIVATE ${folder}/common)
        target_link_libraries(${target} PRIVATE fuzzed)
        ww_link_everything(${target})
        target_compile_options(${target} PRIVATE -Wno-missing-prototypes)
        foreach(room IN ITEMS trace platforms compat monitor checkpoint events view sweep)
            target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/${room}/src)
        endforeach()
        if(WW_FUZZ)
            target_link_options(${target} PRIVATE -fsanitize=fuzzer)
        endif()
        set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
        if(NOT WW_FUZZ AND IS_DIRECTORY ${folder}/corpus/${name})
            add_test(NAME fuzz/${name} COMMAND ${target} ${folder}/corpus/${name})
            ww_set_test_environment(fuzz/${name} ${folder})
            set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT 1800)
        endif()
    endforeach()
endfunction()
