# SPDX-License-Identifier: Apache-2.0
# How a folder of the tree becomes a library.

# ww_add_folder(<name>): the folder, once somebody has written it.
function(ww_add_folder name)
    if(EXISTS ${CMAKE_SOURCE_DIR}/${name}/CMakeLists.txt)
        add_subdirectory(${name})
    endif()
endfunction()

# ww_add_library(<name> SOURCES <glob>... LINK <target>... PRIVATE <target>...)
# A static library ww_<name> from every file that matches (paths relative to the folder, folders below
# included). Its public headers are in <folder>/include; private ones lie beside the sources.
function(ww_add_library name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK;PRIVATE" ${ARGN})
    list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${arg_SOURCES})
    set(target ww_${name})
    if(NOT sources)
        add_library(${target} INTERFACE)
        target_link_libraries(${target} INTERFACE ${arg_LINK})
        return()
    endif()
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC ${arg_LINK} PRIVATE ${arg_PRIVATE})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/include)
        target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include)
    endif()
endfunction()

# ww_static_libraries(<variable>): the folder libraries that have sources, lowest layer first.
function(ww_static_libraries variable)
    set(found "")
    foreach(name IN ITEMS kernel ports components testing trace platforms results compat web monitor checkpoint events view)
        if(TARGET ww_${name})
            get_target_property(type ww_${name} TYPE)
            if(type STREQUAL "STATIC_LIBRARY")
                list(APPEND found ww_${name})
            endif()
        endif()
    endforeach()
    set(${variable} ${found} PARENT_SCOPE)
endfunction()

# ww_link_everything(<target>): links the whole of libwarpwright, and exports its public functions from the
# program: a module that is loaded later may call one that the program itself never calls.
function(ww_link_everything target)
    set_target_properties(${target} PROPERTIES ENABLE_EXPORTS ON)
    target_link_libraries(${target} PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,warpwright_static>)
endfunction()
