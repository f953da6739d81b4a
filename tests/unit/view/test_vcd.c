/* SPDX-License-Identifier: Apache-2.0 */
/* Waveforms of a small log, whole. */
#include "tests.h"

#include <string.h>

static void test_fill(void)
{
    g_autofree char *text = view_text(WW_VIEW_VCD, "5\tput\tq\t-1\tslot=0 key=9\n"
                                                   "5\tput\tq\t-1\tslot=1 key=10\n"
                                                   "6\ttake\tq\t-1\tslot=0 key=9\n"
                                                   "6\tput\tq\t-1\tslot=0 key=word\n"
                                                   "9\tcount\tc\t-1\t12\n");
    g_assert_cmpstr(text, ==,
                    "$version warpwright $end\n$timescale 1 ps $end\n"
                    "$scope module c $end\n"
                    "$var wire 16 ( count $end\n"
                    "$var wire 64 ) count_value $end\n"
                    "$upscope $end\n"
                    "$scope module q $end\n"
                    "$var wire 32 ! fill $end\n"
                    "$var wire 16 \" put $end\n"
                    "$var wire 64 # put_slot $end\n"
                    "$var wire 64 $ put_key $end\n"
                    "$var wire 16 % take $end\n"
                    "$var wire 64 & take_slot $end\n"
                    "$var wire 64 ' take_key $end\n"
                    "$upscope $end\n"
                    "$enddefinitions $end\n$dumpvars\n"
                    "b0 !\nb0 \"\nbx #\nbx $\nb0 %\nbx &\nbx '\nb0 (\nbx )\n$end\n"
                    "#5000\nb10 !\nb10 \"\nb1 #\nb1010 $\n"
                    /* one in, one out; one in this cycle */
                    "#6000\nb1 \"\nb0 #\nb1 %\nb0 &\nb1001 '\n"
                    "#7000\nb0 \"\nb0 %\n"
                    "#9000\nb1 (\nb1100 )\n"
                    "#10000\nb0 (\n"
                    "#10000\n");
}

void test_vcd(void)
{
    g_test_add_func("/view/vcd/fill", test_fill);
}
