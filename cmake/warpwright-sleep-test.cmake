# SPDX-License-Identifier: Apache-2.0
# cmake -DCOMMAND=... -DSAMPLE=... "-DARGUMENTS=-p;my.plat" -P: runs `warpwright run` twice, as usual and with --no-sleep,
# and asks for the same fingerprint (every token, when and where) and the same results (every statistic). The sample is left out when the arguments name a
# machine that reads no trace; with -DTRACE=... in its place it is that trace or an error.
set(common run ${ARGUMENTS} --report=none --fingerprint --progress=none)
string(RANDOM LENGTH 12 mark) # tests beside this one may have the same folder
function(fingerprint out)
    execute_process(COMMAND ${COMMAND} ${common} -o ${out}-${mark}.json ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE why RESULT_VARIABLE status)
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
execute_process(COMMAND ${COMMAND} compare usual-${mark}.json restless-${mark}.json --exact OUTPUT_VARIABLE differences
    ERROR_VARIABLE differences RESULT_VARIABLE differ)
file(REMOVE usual-${mark}.json restless-${mark}.json)
if(status EQUAL 0 AND usual STREQUAL restless AND NOT differ EQUAL 0)
    message(FATAL_ERROR "with sleep (A) and without (B): other results\n${differences}")
endif()
if(NOT status EQUAL 0 OR NOT usual STREQUAL restless)
    message(FATAL_ERROR "with sleep: ${usual}without: ${restless}status ${status}\n${why}")
endif()
message(STATUS "${usual}")
