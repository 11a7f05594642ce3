// What the kernels in local memory share: how a work-group divides its tile of a product.
//
// A work-group has ROWS x COLUMNS of it, of which a work-item keeps ITEM_ROWS x ITEM_COLUMNS in
// registers, in quads of four side by side: one load of four floats from local memory feeds 16 or
// more multiply-adds. 32 neighbours of a work-group read 8 x 4 places, so that no two of them want
// different words of one bank.
// Defines: GROUP_X (a multiple of 8), GROUP_Y (of 4), ITEM_COLUMNS and ITEM_ROWS (4 or 8), STEP,
// UNROLL; what follows is for compiling a file alone.
#ifndef GROUP_X
#define GROUP_X 16
#define GROUP_Y 8
#define ITEM_COLUMNS 4
#define ITEM_ROWS 4
#define STEP 8
#define UNROLL 4
#endif

#define ITEMS (GROUP_X * GROUP_Y)
#define COLUMNS (GROUP_X * ITEM_COLUMNS)
#define ROWS (GROUP_Y * ITEM_ROWS)
#define COLUMN_QUADS (COLUMNS / 4)
#define ROW_QUADS (ROWS / 4)
#define ITEM_QUADS_X (ITEM_COLUMNS / 4)
#define ITEM_QUADS_Y (ITEM_ROWS / 4)
// Quads that a step of the factors of columns and of rows has, and what a work-item loads of them.
#define X_QUADS (STEP * COLUMN_QUADS)
#define Y_QUADS (STEP * ROW_QUADS)
#define X_LOADS ((X_QUADS + ITEMS - 1) / ITEMS)
#define Y_LOADS ((Y_QUADS + ITEMS - 1) / ITEMS)
#define HAS_X_QUAD(i) (X_QUADS % ITEMS == 0 || (int)get_local_id(0) + (i) * ITEMS < X_QUADS)
#define HAS_Y_QUAD(i) (Y_QUADS % ITEMS == 0 || (int)get_local_id(0) + (i) * ITEMS < Y_QUADS)

#define TEXT(a) #a
#define UNROLLED(n) _Pragma(TEXT(unroll n))

// Place of a work-item in its group, in quads.
#define PLACE_X(id) ((id) / 32 % (GROUP_X / 8) * 8 + (id) % 8)
#define PLACE_Y(id) ((id) / 32 / (GROUP_X / 8) * 4 + (id) % 32 / 8)
#define ITEM_AT(x, y) (((y) / 4 * (GROUP_X / 8) + (x) / 8) * 32 + (y) % 4 * 8 + (x) % 8)
