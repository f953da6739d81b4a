/* SPDX-License-Identifier: Apache-2.0 */
/* The wire format, by the examples of its specification. What is in a trace is looked at by another implementation: tests/system/cli/test-view.py. */
#include "tests.h"

#include <proto-priv.h>
#include <string.h>

static void check(const GByteArray *is, const char *bytes, guint n)
{
    g_assert_cmpmem(is->data, is->len, bytes, n);
}

static void test_wire(void)
{
    g_autoptr(GByteArray) a = g_byte_array_new();
    g_autoptr(GByteArray) inner = g_byte_array_new();
    proto_uint(a, 1, 150);
    check(a, "\x08\x96\x01", 3);
    g_byte_array_set_size(a, 0);
    proto_text(a, 2, "testing");
    check(a, "\x12\x07testing", 9);
    g_byte_array_set_size(a, 0);
    proto_uint(inner, 1, 150);
    proto_message(a, 3, inner);
    check(a, "\x1a\x03\x08\x96\x01", 5);
    g_assert_cmpuint(inner->len, ==, 0);
    g_byte_array_set_size(a, 0);
    proto_uint(a, 1, UINT64_MAX);
    check(a, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
    g_byte_array_set_size(a, 0);
    proto_uint(a, 60, 0);
    check(a, "\xe0\x03\x00", 3);
    g_byte_array_set_size(a, 0);
    proto_fixed64(a, 47, 0x0102030405060708);
    check(a, "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01", 10);
    g_byte_array_set_size(a, 0);
    proto_double(a, 44, 1.0);
    check(a, "\xe1\x02\0\0\0\0\0\0\xf0\x3f", 10);
}

void test_perfetto(void)
{
    g_test_add_func("/view/perfetto/wire", test_wire);
}
