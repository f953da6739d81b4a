/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Protocol buffers, as far as a trace needs them: numbers, texts and messages inside of messages, appended to a buffer.
 * https://protobuf.dev/programming-guides/encoding
 */
#pragma once

#include <glib.h>
#include <stdint.h>

enum { PROTO_VARINT = 0, PROTO_64 = 1, PROTO_BYTES = 2 };

void proto_varint(GByteArray *to, uint64_t value);
/** Field @p number: uint64, bool, an enum; a signed one is given as its two's complement. */
void proto_uint(GByteArray *to, uint32_t number, uint64_t value);
void proto_fixed64(GByteArray *to, uint32_t number, uint64_t value);
void proto_double(GByteArray *to, uint32_t number, double value);
void proto_text(GByteArray *to, uint32_t number, const char *text);
/** Field @p number is the message that @p from has, which is empty then. */
void proto_message(GByteArray *to, uint32_t number, GByteArray *from);
