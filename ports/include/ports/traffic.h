/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Packets between SMs and memory as the reference's traffic statistics see them: by access type, atomics apart, and by size. A
 * packet has a head; data go with writes and atomics on their way to memory, with all but writes on their way back.
 *
 * Whoever puts a packet into the network, or takes one out, counts it in a `uint64_t traffic[WW_N_TRAFFIC]`.
 */
#pragma once

#include <ports/tokens.h>

/** Bytes of a packet without data. */
#define WW_PACKET_HEAD 8u
/** Data come in sectors of 32 bytes, none to four, or as a line of 256, 512, ... 4096 bytes. */
#define WW_PACKET_SECTOR 32u
#define WW_PACKET_SECTORS 4u
#define WW_PACKET_SIZES 10u
/** Classes: the access types, and atomics after them. */
#define WW_TRAFFIC_ATOMIC ((uint32_t)WW_N_ACCESS_TYPES)
#define WW_TRAFFIC_CLASSES (WW_TRAFFIC_ATOMIC + 1u)
#define WW_N_TRAFFIC (WW_TRAFFIC_CLASSES * WW_PACKET_SIZES)

/** Which of the WW_PACKET_SIZES a packet with @p bytes of data has. */
static inline uint32_t ww_packet_size(uint32_t bytes)
{
    uint32_t sectors = (bytes + WW_PACKET_SECTOR - 1) / WW_PACKET_SECTOR,
             size = MIN(sectors, WW_PACKET_SECTORS);
    for (; G_UNLIKELY(sectors > WW_PACKET_SECTORS); sectors = (sectors + 1) / 2) {
        size++;
    }
    return MIN(size, WW_PACKET_SIZES - 1);
}

/** The entry that packet @p req belongs to: class times WW_PACKET_SIZES plus its size. */
static inline uint32_t ww_traffic_entry(const WwMemReq *req, bool reply)
{
    bool data = reply ? !req->write : req->write || req->atomic;
    bool atomic = req->atomic && req->type == WW_ACCESS_GLOBAL_R;
    return (atomic ? WW_TRAFFIC_ATOMIC : req->type) * WW_PACKET_SIZES +
           (data ? ww_packet_size(req->size) : 0);
}

/** Bytes of packet @p req on its way to memory, or back (@p reply). */
static inline uint32_t ww_packet_bytes(const WwMemReq *req, bool reply)
{
    bool data = reply ? !req->write : req->write || req->atomic;
    return WW_PACKET_HEAD + (data ? req->size : 0);
}

/** Bytes of the packets that entry @p entry counts. */
static inline uint32_t ww_traffic_bytes(uint32_t entry)
{
    uint32_t size = entry % WW_PACKET_SIZES, sectors = MIN(size, WW_PACKET_SECTORS);
    return WW_PACKET_HEAD + (sectors << (size - sectors)) * WW_PACKET_SECTOR;
}

/** Names of the entries: "GLOBAL_ACC_R.40" counts packets of 40 bytes. */
#define WW_TRAFFIC_CLASS_LABELS(name)                                                              \
    name ".8", name ".40", name ".72", name ".104", name ".136", name ".264", name ".520",         \
        name ".1032", name ".2056", name ".4104"
#define WW_TRAFFIC_LABELS                                                                          \
    WW_ACCESS_LABELS(WW_TRAFFIC_CLASS_LABELS), WW_TRAFFIC_CLASS_LABELS("GLOBAL_ATOMIC")
