/* SPDX-License-Identifier: Apache-2.0 */
/* The wire format of protocol buffers. A field is its number and how it is written, then its value; a message has its length before it. */
#include "proto-priv.h"

#include <string.h>

void proto_varint(GByteArray *to, uint64_t value)
{
    uint8_t bytes[10];
    guint n = 0;
    do {
        bytes[n++] = (uint8_t)(value & 0x7f) | (value > 0x7f ? 0x80 : 0);
        value >>= 7;
    } while (value != 0);
    g_byte_array_append(to, bytes, n);
}

static void tag(GByteArray *to, uint32_t number, uint32_t how)
{
    proto_varint(to, (uint64_t)number << 3 | how);
}

void proto_uint(GByteArray *to, uint32_t number, uint64_t value)
{
    tag(to, number, PROTO_VARINT);
    proto_varint(to, value);
}

void proto_fixed64(GByteArray *to, uint32_t number, uint64_t value)
{
    uint64_t little = GUINT64_TO_LE(value);
    tag(to, number, PROTO_64);
    g_byte_array_append(to, (const guint8 *)&little, sizeof little);
}

void proto_double(GByteArray *to, uint32_t number, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    proto_fixed64(to, number, bits);
}

void proto_text(GByteArray *to, uint32_t number, const char *text)
{
    size_t n = strlen(text);
    tag(to, number, PROTO_BYTES);
    proto_varint(to, n);
    g_byte_array_append(to, (const guint8 *)text, (guint)n);
}

void proto_message(GByteArray *to, uint32_t number, GByteArray *from)
{
    tag(to, number, PROTO_BYTES);
    proto_varint(to, from->len);
    g_byte_array_append(to, from->data, from->len);
    g_byte_array_set_size(from, 0);
}
