"""The same rules on a card, one game a thread.

Compiling and running are two steps. `compile` needs numba-cuda and no card, and keeps what it makes; `card`
needs CuPy, a driver and a card, and no compiler. `threads` says what one thread does, and the matches of a
`batch` stay on the card.
"""
