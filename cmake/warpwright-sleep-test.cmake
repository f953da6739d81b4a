# SPDX-License-Identifier: Apache-2.0
# cmake -DCOMMAND=... -DSAMPLE=... "-DARGUMENTS=-p;my.plat" -P: runs `warpwright run` twice, as usual and with --no-sleep,
# and asks for the same fingerprint (every token, when and where). The sample is left out when the arguments name a
# machine that reads no trace; with -DTRACE=... in its place it is that trace or an error.
set(common run ${ARGUMENTS} --report=none --fingerprint --progress=none)
function(fingerprint out)
    execute_process(COMMAND ${COMMAND} ${common} ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE why RESULT_VARIABLE status)
    set(${out} "${text}" PARENT_SCOPE)
    set(status "${status}" PARENT_SCOPE)
    set(why "${why}" PARENT_SCOPE)
endfunction()

set(trace ${SAMPLE})
if(TRACE)
    set(trace ${TRACE})
endif()
fingerprint(usual ${trace})
if(NOT TRACE AND status EQUAL 2 AND why MATCHES "reads a trace")
    set(trace "")
    fingerprint(usual)
endif()
if(NOT status EQUAL 0 OR NOT usual MATCHES "fingerprint")
    message(FATAL_ERROR "status ${status}\n${usual}${why}")
endif()
fingerprint(restless --no-sleep ${trace})
if(NOT status EQUAL 0 OR NOT usual STREQUAL restless)
    message(FATAL_ERROR "with sleep: ${usual}without: ${restless}status ${status}\n${why}")
endif()
message(STATUS "${usual}")
