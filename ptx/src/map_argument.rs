//! Tensor maps as arguments: as a host makes them with `cuTensorMapEncodeTiled`.
//!
//! | key | is |
//! | --- | --- |
//! | `type=f16` | element type: u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16, f32_ftz, tf32, tf32_ftz |
//! | `sizes=192x128` | elements of each dimension, innermost first |
//! | `strides=384` | bytes from one to the next along each dimension but the first; without it there is no gap |
//! | `box=64x64` | elements of a box in each dimension |
//! | `element-strides=1x2` | every n-th element of a dimension; 1 without it |
//! | `interleave=16` | slices of 16 or 32 bytes; `none` without it |
//! | `swizzle=128` | 32, 64 or 128 bytes; `none` without it |
//! | `fill=nan` | what lies outside; `zeros` without it |
//! | `l2=128` | promotion: 64, 128 or 256 bytes, of no effect |
//! | `offset=256` | bytes from the start of the buffer to the tensor |

use std::str::FromStr;
use txbar_testbench::tensor::element::Element;
use txbar_testbench::tensor::map::{Shape, TensorMap};

/// A tensor map of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapArgument {
    /// Name of the buffer.
    pub buffer: String,
    /// The map; its address is counted from the start of the buffer.
    pub map: TensorMap,
}

/// Numbers with an `x` between each two.
fn numbers<T: FromStr>(key: &str, text: &str) -> Result<Vec<T>, String> {
    let number = |text: &str| text.parse().map_err(|_| format!("`{key}` takes numbers such as 64x32, not `{text}`"));
    text.split('x').filter(|_| !text.is_empty()).map(number).collect()
}

/// The number of a word.
fn choice(key: &str, text: &str, words: &[&str]) -> Result<u32, String> {
    let place = words.iter().position(|word| *word == text);
    place.map(|place| place as u32).ok_or_else(|| format!("`{key}` is {}, not `{text}`", words.join(", ")))
}

impl MapArgument {
    /// Reads `BUFFER,key=value,...`.
    ///
    /// # Errors
    /// What is wrong, or the first limit that the map does not keep.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let buffer = parts.next().unwrap_or_default().to_owned();
        if buffer.is_empty() || buffer.contains('=') {
            return Err(
                "a tensor map begins with the name of its buffer: NAME:tensormap:BUFFER,type=f16,...".to_owned()
            );
        }
        let (mut element, mut sizes, mut strides, mut box_sizes) = (None, None, None, None);
        let (mut element_strides, mut interleave, mut swizzle) = (None, 0, 0);
        let (mut fill, mut promotion, mut address) = (0, 0, 0);
        for part in parts {
            let (key, value) = part.split_once('=').ok_or_else(|| format!("`{part}` is not KEY=VALUE"))?;
            match key {
                "type" => {
                    let named = Element::named(value);
                    let names = Element::ALL.map(Element::name).join(", ");
                    element = Some(named.ok_or_else(|| format!("`type` is {names}, not `{value}`"))?);
                }
                "sizes" => sizes = Some(numbers(key, value)?),
                "strides" => strides = Some(numbers(key, value)?),
                "box" => box_sizes = Some(numbers(key, value)?),
                "element-strides" => element_strides = Some(numbers(key, value)?),
                "interleave" => interleave = choice(key, value, &["none", "16", "32"])?,
                "swizzle" => swizzle = choice(key, value, &["none", "32", "64", "128"])?,
                "fill" => fill = choice(key, value, &["zeros", "nan"])?,
                "l2" => promotion = choice(key, value, &["none", "64", "128", "256"])?,
                "offset" => address = value.parse().map_err(|_| format!("`{value}` is no number of bytes"))?,
                _ => {
                    let keys = "type, sizes, strides, box, element-strides, interleave, swizzle, fill, l2 and offset";
                    return Err(format!("a tensor map has no `{key}`: it has {keys}"));
                }
            }
        }
        let missing = |key: &str| format!("a tensor map needs `{key}=`");
        let element = element.ok_or_else(|| missing("type"))?;
        let sizes: Vec<u64> = sizes.ok_or_else(|| missing("sizes"))?;
        let packed = || {
            let bytes = |up_to: usize| {
                sizes[..up_to].iter().try_fold(element.bytes(), |bytes, size| bytes.checked_mul(*size)).unwrap_or(0)
            };
            (1..sizes.len()).map(bytes).collect()
        };
        let strides = strides.unwrap_or_else(packed);
        let element_strides = element_strides.unwrap_or_else(|| vec![1; sizes.len()]);
        let shape = Shape::Tile { box_sizes: box_sizes.ok_or_else(|| missing("box"))? };
        let map = TensorMap {
            element,
            address,
            sizes,
            strides,
            shape,
            element_strides,
            interleave,
            swizzle,
            fill,
            promotion,
        };
        map.check().map_err(|bad| bad.to_string())?;
        Ok(Self { buffer, map })
    }

    /// Bytes of the buffer that the tensor takes, its offset included.
    pub fn bytes(&self) -> u64 {
        let map = &self.map;
        let unit = map.unit();
        let outer = map.sizes[1..].iter().zip(&map.strides).map(|(size, stride)| (size - 1).saturating_mul(*stride));
        let row = map.sizes[0].saturating_mul(unit);
        outer.fold(map.address.saturating_add(row), u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        MapArgument::read(text).expect_err("it is wrong")
    }

    #[test]
    fn a_map_is_read() {
        let text = "a,type=f16,sizes=192x128,strides=384,box=64x64,swizzle=128,fill=nan,offset=256,l2=128";
        let MapArgument { buffer, map } = MapArgument::read(text).expect("it is right");
        assert_eq!((buffer.as_str(), map.element, map.swizzle, map.fill), ("a", Element::F16, 3, 1));
        assert_eq!((map.address, map.sizes, map.strides), (256, vec![192, 128], vec![384]));
        let packed = MapArgument::read("a,type=u8,sizes=32x4x5,box=16x1x1").expect("it is right");
        assert_eq!(packed.map.strides, [32, 128]);
        assert_eq!(packed.bytes(), 640);
    }

    #[test]
    fn a_map_outside_a_limit_gets_one_clear_error() {
        assert_eq!(refused("a,type=f16,sizes=,box="), "rank 0: a tensor has 1 to 5 dimensions");
        let six = "a,type=f16,sizes=8x1x1x1x1x1,box=8x1x1x1x1x1";
        assert_eq!(refused(six), "rank 6: a tensor has 1 to 5 dimensions");
        let of = |sizes: &str, strides: &str, sides: &str| {
            refused(&format!("a,type=f16,sizes={sizes},strides={strides},box={sides}"))
        };
        assert_eq!(of("64x8", "128", "0x8"), "box 0 of dimension 0 is not from 1 to 256");
        assert_eq!(of("64x8", "128", "8x257"), "box 257 of dimension 1 is not from 1 to 256");
        assert_eq!(of("64x8", "136", "8x8"), "stride 136 of dimension 1 is not a multiple of 16");
        let large = of("64x4294967297", "128", "8x8");
        assert_eq!(large, "size 4294967297 of dimension 1 is not from 1 to 2^32");
        assert_eq!(of("64x8", "", "8x8"), "rank 2: there are 0 strides where 1 are needed");
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(refused("type=f16").starts_with("a tensor map begins with the name of its buffer"));
        assert!(refused("a,type=f15").starts_with("`type` is u8, u16"));
        assert_eq!(refused("a,sizes=8"), "a tensor map needs `type=`");
        assert_eq!(refused("a,type=u8,sizes=8,box=4,swizzle=96"), "`swizzle` is none, 32, 64, 128, not `96`");
        assert_eq!(refused("a,type=u8,sizes=8y2"), "`sizes` takes numbers such as 64x32, not `8y2`");
        assert!(refused("a,colour=red").starts_with("a tensor map has no `colour`"));
    }
}
