/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * In C, flags combine as they are. In C++ the OR of two enumerators is an int,
 * which no DAT call takes; these operators keep the type. Both versions' udat.h
 * end with this file: it declares nothing of its own.
 */
#ifndef _DAT_FLAG_OPERATORS_H_
#define _DAT_FLAG_OPERATORS_H_

#ifdef __cplusplus

/** These are constants where the language can have constant functions. */
#if __cplusplus >= 201103L
#define DAT_FLAG_CONSTEXPR constexpr
#else
#define DAT_FLAG_CONSTEXPR inline
#endif

/** Defines | & |= &= for an enumeration whose values are sets of bits. */
#define DAT_DEFINE_FLAG_OPERATORS(Flags) \
	DAT_FLAG_CONSTEXPR Flags operator|(Flags a, Flags b) \
	{ \
		return static_cast<Flags>(static_cast<unsigned>(a) | static_cast<unsigned>(b)); \
	} \
	DAT_FLAG_CONSTEXPR Flags operator&(Flags a, Flags b) \
	{ \
		return static_cast<Flags>(static_cast<unsigned>(a) & static_cast<unsigned>(b)); \
	} \
	inline Flags &operator|=(Flags &a, Flags b) \
	{ \
		return a = a | b; \
	} \
	inline Flags &operator&=(Flags &a, Flags b) \
	{ \
		return a = a & b; \
	}

extern "C++" {
DAT_DEFINE_FLAG_OPERATORS(DAT_COMPLETION_FLAGS)
DAT_DEFINE_FLAG_OPERATORS(DAT_QOS)
DAT_DEFINE_FLAG_OPERATORS(DAT_CONNECT_FLAGS)
DAT_DEFINE_FLAG_OPERATORS(DAT_EVD_FLAGS)
DAT_DEFINE_FLAG_OPERATORS(DAT_EVD_STATE)
DAT_DEFINE_FLAG_OPERATORS(DAT_PSP_FLAGS)
DAT_DEFINE_FLAG_OPERATORS(DAT_MEM_PRIV_FLAGS)
DAT_DEFINE_FLAG_OPERATORS(DAT_MEM_TYPE)
DAT_DEFINE_FLAG_OPERATORS(DAT_CNO_PARAM_MASK)
DAT_DEFINE_FLAG_OPERATORS(DAT_CR_PARAM_MASK)
DAT_DEFINE_FLAG_OPERATORS(DAT_EVD_PARAM_MASK)
DAT_DEFINE_FLAG_OPERATORS(DAT_LMR_PARAM_MASK)
DAT_DEFINE_FLAG_OPERATORS(DAT_PSP_PARAM_MASK)
DAT_DEFINE_FLAG_OPERATORS(DAT_PZ_PARAM_MASK)
DAT_DEFINE_FLAG_OPERATORS(DAT_RMR_PARAM_MASK)
DAT_DEFINE_FLAG_OPERATORS(DAT_RSP_PARAM_MASK)
DAT_DEFINE_FLAG_OPERATORS(DAT_SRQ_PARAM_MASK)
}

#undef DAT_DEFINE_FLAG_OPERATORS
#undef DAT_FLAG_CONSTEXPR

#endif /* __cplusplus */

#endif /* _DAT_FLAG_OPERATORS_H_ */
