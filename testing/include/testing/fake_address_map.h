/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `address_map`: channels take 256 bytes in turn, slices of a channel the next
 * higher bits; a bank and a row above them. The partition address is the address without those
 * bits.
 */
#pragma once

#include <ports/cache.h>

/** An address map of as many channels and slices as the test says; counts what it decodes. */
typedef struct WwFakeAddressMap {
    WwComponent base;
    WwProvided address_map;
    /* what the test may set */
    uint32_t channels; /**< 4 at first; a power of two. */
    uint32_t slices;   /**< Of the whole GPU; 8 at first, a power of two. */
    /* what it may look at */
    uint32_t decodes;
} WwFakeAddressMap;

/** The type `fake.address_map`. */
extern const WwType ww_fake_address_map_type;
