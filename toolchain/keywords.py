"""The words of C++17 and of emitted code, which models, tensors and ops cannot have as names."""

from __future__ import annotations

KEYWORDS = frozenset(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t
    char32_t class compl const const_cast constexpr continue decltype default delete do double
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
    register reinterpret_cast return short signed sizeof static static_assert static_cast struct
    switch template this thread_local throw true try typedef typeid typename union unsigned using
    virtual void volatile wchar_t while xor xor_eq""".split()
)
# C++17 keywords, and what the emitted code or its headers already call something.
RESERVED = KEYWORDS | frozenset(
    """int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t
    uintmax_t size_t ptrdiff_t max_align_t memcpy memset memmove
    arena input output inputs outputs invoke reset input_count output_count model main opsmith std
    row rows pass advance begin started stream push_row push_frame
     index params tables scratch states lists written kept guards overrun arenas memories
    model_sha256 arena_bytes arena_alignment
    linux unix errno stdin stdout stderr NULL""".split()
)
