/* The predeclared functions: X(id and name, shape, fewest and most arguments, flags). */
#ifndef WGT_WGSL_FUNCTIONS_H
#define WGT_WGSL_FUNCTIONS_H

typedef enum ws_shape {
    WS_SH_FLOAT,  /* all arguments of one float type, scalar or vector; the result too */
    WS_SH_NUMBER, /* all of one numeric type */
    WS_SH_SIGNED, /* all of one signed numeric type */
    WS_SH_INT,    /* all of one integer type */
    WS_SH_F32,    /* all of one f32 type */
    WS_SH_OTHER   /* rules of its own */
} ws_shape;

#define WS_C (WS_NF_CONSTANT | WS_NF_MUST_USE)
#define WS_T (WS_NF_TEXTURE | WS_NF_MUST_USE)
#define WS_TF (WS_NF_TEXTURE | WS_NF_MUST_USE | WS_NF_FRAGMENT)
#define WS_SG (WS_NF_SUBGROUP | WS_NF_MUST_USE)

#define WS_FUNCTIONS(X)                                                                                \
    X(abs, NUMBER, 1, 1, WS_C) X(acos, FLOAT, 1, 1, WS_C) X(acosh, FLOAT, 1, 1, WS_C)                  \
    X(all, OTHER, 1, 1, WS_C) X(any, OTHER, 1, 1, WS_C) X(arrayLength, OTHER, 1, 1, WS_NF_MUST_USE)    \
    X(asin, FLOAT, 1, 1, WS_C) X(asinh, FLOAT, 1, 1, WS_C) X(atan, FLOAT, 1, 1, WS_C)                  \
    X(atan2, FLOAT, 2, 2, WS_C) X(atanh, FLOAT, 1, 1, WS_C)                                            \
    X(atomicAdd, OTHER, 2, 2, WS_NF_ATOMIC) X(atomicAnd, OTHER, 2, 2, WS_NF_ATOMIC)                    \
    X(atomicCompareExchangeWeak, OTHER, 3, 3, WS_NF_ATOMIC)                                            \
    X(atomicExchange, OTHER, 2, 2, WS_NF_ATOMIC) X(atomicLoad, OTHER, 1, 1, WS_NF_ATOMIC)              \
    X(atomicMax, OTHER, 2, 2, WS_NF_ATOMIC) X(atomicMin, OTHER, 2, 2, WS_NF_ATOMIC)                    \
    X(atomicOr, OTHER, 2, 2, WS_NF_ATOMIC) X(atomicStore, OTHER, 2, 2, WS_NF_ATOMIC)                   \
    X(atomicSub, OTHER, 2, 2, WS_NF_ATOMIC) X(atomicXor, OTHER, 2, 2, WS_NF_ATOMIC)                    \
    X(bitcast, OTHER, 1, 1, WS_C) X(ceil, FLOAT, 1, 1, WS_C) X(clamp, NUMBER, 3, 3, WS_C)              \
    X(cos, FLOAT, 1, 1, WS_C) X(cosh, FLOAT, 1, 1, WS_C) X(countLeadingZeros, INT, 1, 1, WS_C)         \
    X(countOneBits, INT, 1, 1, WS_C) X(countTrailingZeros, INT, 1, 1, WS_C)                            \
    X(cross, OTHER, 2, 2, WS_C) X(degrees, FLOAT, 1, 1, WS_C) X(determinant, OTHER, 1, 1, WS_C)        \
    X(distance, OTHER, 2, 2, WS_C) X(dot, OTHER, 2, 2, WS_C) X(dot4I8Packed, OTHER, 2, 2, WS_C)        \
    X(dot4U8Packed, OTHER, 2, 2, WS_C) X(dpdx, F32, 1, 1, WS_NF_FRAGMENT | WS_NF_MUST_USE)             \
    X(dpdxCoarse, F32, 1, 1, WS_NF_FRAGMENT | WS_NF_MUST_USE)                                          \
    X(dpdxFine, F32, 1, 1, WS_NF_FRAGMENT | WS_NF_MUST_USE)                                            \
    X(dpdy, F32, 1, 1, WS_NF_FRAGMENT | WS_NF_MUST_USE)                                                \
    X(dpdyCoarse, F32, 1, 1, WS_NF_FRAGMENT | WS_NF_MUST_USE)                                          \
    X(dpdyFine, F32, 1, 1, WS_NF_FRAGMENT | WS_NF_MUST_USE)                                            \
    X(exp, FLOAT, 1, 1, WS_C) X(exp2, FLOAT, 1, 1, WS_C) X(extractBits, OTHER, 3, 3, WS_C)             \
    X(faceForward, OTHER, 3, 3, WS_C) X(firstLeadingBit, INT, 1, 1, WS_C)                              \
    X(firstTrailingBit, INT, 1, 1, WS_C) X(floor, FLOAT, 1, 1, WS_C) X(fma, FLOAT, 3, 3, WS_C)         \
    X(fract, FLOAT, 1, 1, WS_C) X(frexp, OTHER, 1, 1, WS_C)                                            \
    X(fwidth, F32, 1, 1, WS_NF_FRAGMENT | WS_NF_MUST_USE)                                              \
    X(fwidthCoarse, F32, 1, 1, WS_NF_FRAGMENT | WS_NF_MUST_USE)                                        \
    X(fwidthFine, F32, 1, 1, WS_NF_FRAGMENT | WS_NF_MUST_USE) X(insertBits, OTHER, 4, 4, WS_C)         \
    X(inverseSqrt, FLOAT, 1, 1, WS_C) X(ldexp, OTHER, 2, 2, WS_C) X(length, OTHER, 1, 1, WS_C)         \
    X(log, FLOAT, 1, 1, WS_C) X(log2, FLOAT, 1, 1, WS_C) X(max, NUMBER, 2, 2, WS_C)                    \
    X(min, NUMBER, 2, 2, WS_C) X(mix, OTHER, 3, 3, WS_C) X(modf, OTHER, 1, 1, WS_C)                    \
    X(normalize, OTHER, 1, 1, WS_C) X(pack2x16float, OTHER, 1, 1, WS_C)                                \
    X(pack2x16snorm, OTHER, 1, 1, WS_C) X(pack2x16unorm, OTHER, 1, 1, WS_C)                            \
    X(pack4x8snorm, OTHER, 1, 1, WS_C) X(pack4x8unorm, OTHER, 1, 1, WS_C)                              \
    X(pack4xI8, OTHER, 1, 1, WS_C) X(pack4xI8Clamp, OTHER, 1, 1, WS_C) X(pack4xU8, OTHER, 1, 1, WS_C)  \
    X(pack4xU8Clamp, OTHER, 1, 1, WS_C) X(pow, FLOAT, 2, 2, WS_C)                                      \
    X(quadBroadcast, OTHER, 2, 2, WS_SG) X(quadSwapDiagonal, OTHER, 1, 1, WS_SG)                       \
    X(quadSwapX, OTHER, 1, 1, WS_SG) X(quadSwapY, OTHER, 1, 1, WS_SG)                                  \
    X(quantizeToF16, F32, 1, 1, WS_C) X(radians, FLOAT, 1, 1, WS_C) X(reflect, OTHER, 2, 2, WS_C)      \
    X(refract, OTHER, 3, 3, WS_C) X(reverseBits, INT, 1, 1, WS_C) X(round, FLOAT, 1, 1, WS_C)          \
    X(saturate, FLOAT, 1, 1, WS_C) X(select, OTHER, 3, 3, WS_C) X(sign, SIGNED, 1, 1, WS_C)            \
    X(sin, FLOAT, 1, 1, WS_C) X(sinh, FLOAT, 1, 1, WS_C) X(smoothstep, FLOAT, 3, 3, WS_C)              \
    X(sqrt, FLOAT, 1, 1, WS_C) X(step, FLOAT, 2, 2, WS_C)                                              \
    X(storageBarrier, OTHER, 0, 0, WS_NF_BARRIER | WS_NF_COMPUTE)                                      \
    X(subgroupAdd, OTHER, 1, 1, WS_SG) X(subgroupAll, OTHER, 1, 1, WS_SG)                              \
    X(subgroupAnd, OTHER, 1, 1, WS_SG) X(subgroupAny, OTHER, 1, 1, WS_SG)                              \
    X(subgroupBallot, OTHER, 0, 1, WS_SG)                                                              \
    X(subgroupBarrier, OTHER, 0, 0, WS_NF_SUBGROUP | WS_NF_BARRIER | WS_NF_COMPUTE)                    \
    X(subgroupBroadcast, OTHER, 2, 2, WS_SG) X(subgroupBroadcastFirst, OTHER, 1, 1, WS_SG)             \
    X(subgroupElect, OTHER, 0, 0, WS_SG) X(subgroupExclusiveAdd, OTHER, 1, 1, WS_SG)                   \
    X(subgroupExclusiveMul, OTHER, 1, 1, WS_SG) X(subgroupInclusiveAdd, OTHER, 1, 1, WS_SG)            \
    X(subgroupInclusiveMul, OTHER, 1, 1, WS_SG) X(subgroupMax, OTHER, 1, 1, WS_SG)                     \
    X(subgroupMin, OTHER, 1, 1, WS_SG) X(subgroupMul, OTHER, 1, 1, WS_SG)                              \
    X(subgroupOr, OTHER, 1, 1, WS_SG) X(subgroupShuffle, OTHER, 2, 2, WS_SG)                           \
    X(subgroupShuffleDown, OTHER, 2, 2, WS_SG) X(subgroupShuffleUp, OTHER, 2, 2, WS_SG)                \
    X(subgroupShuffleXor, OTHER, 2, 2, WS_SG) X(subgroupXor, OTHER, 1, 1, WS_SG)                       \
    X(tan, FLOAT, 1, 1, WS_C) X(tanh, FLOAT, 1, 1, WS_C)                                               \
    X(textureBarrier, OTHER, 0, 0, WS_NF_BARRIER | WS_NF_COMPUTE)                                      \
    X(textureDimensions, OTHER, 1, 2, WS_T) X(textureGather, OTHER, 3, 6, WS_T)                        \
    X(textureGatherCompare, OTHER, 4, 6, WS_T) X(textureLoad, OTHER, 2, 4, WS_T)                       \
    X(textureNumLayers, OTHER, 1, 1, WS_T) X(textureNumLevels, OTHER, 1, 1, WS_T)                      \
    X(textureNumSamples, OTHER, 1, 1, WS_T) X(textureSample, OTHER, 3, 5, WS_TF)                       \
    X(textureSampleBaseClampToEdge, OTHER, 3, 3, WS_T) X(textureSampleBias, OTHER, 4, 6, WS_TF)        \
    X(textureSampleCompare, OTHER, 4, 6, WS_TF) X(textureSampleCompareLevel, OTHER, 4, 6, WS_T)        \
    X(textureSampleGrad, OTHER, 5, 7, WS_T) X(textureSampleLevel, OTHER, 4, 6, WS_T)                   \
    X(textureStore, OTHER, 3, 4, WS_NF_TEXTURE) X(transpose, OTHER, 1, 1, WS_C)                        \
    X(trunc, FLOAT, 1, 1, WS_C) X(unpack2x16float, OTHER, 1, 1, WS_C)                                  \
    X(unpack2x16snorm, OTHER, 1, 1, WS_C) X(unpack2x16unorm, OTHER, 1, 1, WS_C)                        \
    X(unpack4x8snorm, OTHER, 1, 1, WS_C) X(unpack4x8unorm, OTHER, 1, 1, WS_C)                          \
    X(unpack4xI8, OTHER, 1, 1, WS_C) X(unpack4xU8, OTHER, 1, 1, WS_C)                                  \
    X(workgroupBarrier, OTHER, 0, 0, WS_NF_BARRIER | WS_NF_COMPUTE)                                    \
    X(workgroupUniformLoad, OTHER, 1, 1, WS_NF_BARRIER | WS_NF_COMPUTE | WS_NF_MUST_USE)

#define WS_X_ID(name, shape, low, high, flags) WS_FN_##name,
typedef enum ws_function { WS_FUNCTIONS(WS_X_ID) WS_FUNCTION_COUNT } ws_function;
#undef WS_X_ID

/* Generators of types, ws_named.id. */
typedef enum ws_generator {
    WS_G_VECTOR, /* shape: width */
    WS_G_MATRIX, /* shape: columns * 8 + rows */
    WS_G_ARRAY, WS_G_ATOMIC, WS_G_POINTER,
    WS_G_TEXTURE, /* shape: dim */
    WS_G_TEXTURE_STORAGE
} ws_generator;

/* Plain types whose `shape` holds more, ws_named.flags. */
typedef enum ws_plain {
    WS_P_SCALAR, WS_P_VECTOR, WS_P_MATRIX, WS_P_TEXTURE, WS_P_OPAQUE
} ws_plain;

/* Enumerants, ws_named.shape; the number is in ws_named.id. */
typedef enum ws_enumerant { WS_EN_ACCESS, WS_EN_SPACE, WS_EN_FORMAT } ws_enumerant;

#define WS_FORMATS(X)                                                                                  \
    X(rgba8unorm, F32, false) X(rgba8snorm, F32, false) X(rgba8uint, U32, false) X(rgba8sint, I32, false)              \
    X(rgba16unorm, F32, false) X(rgba16snorm, F32, false) X(rgba16uint, U32, false) X(rgba16sint, I32, false)          \
    X(rgba16float, F32, false) X(rg8unorm, F32, false) X(rg8snorm, F32, false) X(rg8uint, U32, false)                  \
    X(rg8sint, I32, false) X(rg16unorm, F32, false) X(rg16snorm, F32, false) X(rg16uint, U32, false)                   \
    X(rg16sint, I32, false) X(rg16float, F32, false) X(r32uint, U32, true) X(r32sint, I32, true)                   \
    X(r32float, F32, true) X(rg32uint, U32, false) X(rg32sint, I32, false) X(rg32float, F32, false)                  \
    X(rgba32uint, U32, false) X(rgba32sint, I32, false) X(rgba32float, F32, false) X(bgra8unorm, F32, false)           \
    X(r8unorm, F32, false) X(r8snorm, F32, false) X(r8uint, U32, false) X(r8sint, I32, false) X(r16unorm, F32, false)      \
    X(r16snorm, F32, false) X(r16uint, U32, false) X(r16sint, I32, false) X(r16float, F32, false)                      \
    X(rgb10a2unorm, F32, false) X(rgb10a2uint, U32, false) X(rg11b10ufloat, F32, false)

#endif
