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

/* A statistic is told at the end of its interval, and drawn from its begin on, among what happened then; the same value is not drawn again. */
static void test_intervals(void)
{
    g_autofree char *text = view_text(
        WW_VIEW_VCD, "5\tput\tq\t-1\tslot=0\n"
                     "10\tinterval\tq\t-1\tsince=0 statistic=cause.put value=3\n"
                     "10\tinterval\ttotal.cache.l1\t-1\tsince=0 statistic=hits value=-1\n"
                     "15\ttake\tq\t-1\tslot=0\n"
                     "20\tinterval\tq\t-1\tsince=10 statistic=cause.put value=3\n"
                     "20\tinterval\ttotal.cache.l1\t-1\tsince=10 statistic=hits value=2\n");
    g_assert_nonnull(strstr(text, "$scope module statistics $end\n"
                                  "$var wire 64 $ cause_put $end\n$upscope $end\n"));
    g_assert_nonnull(strstr(text, "$scope module total $end\n$scope module cache $end\n"
                                  "$scope module l1 $end\n$var wire 64 % hits $end\n"));
    const char *changes = strstr(text, "$end\n#");
    g_assert_cmpstr(changes, ==,
                    "$end\n#0\nb11 $\n"
                    "b1111111111111111111111111111111111111111111111111111111111111111 %\n"
                    "#5000\nb1 !\nb1 \"\nb0 #\n"
                    "#6000\nb0 \"\n"
                    "#10000\nb10 %\n"
                    "#15000\nb0 !\nb1 &\nb0 '\n"
                    "#16000\nb0 &\n"
                    "#20000\n");
}

void test_vcd(void)
{
    g_test_add_func("/view/vcd/intervals", test_intervals);
    g_test_add_func("/view/vcd/fill", test_fill);
}
