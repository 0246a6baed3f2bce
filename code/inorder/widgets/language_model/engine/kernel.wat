;; Products with quantised weights, four numbers at a time (SIMD). kernel.js tells what lies where in the memory, and calls.
;;
;; A matrix is rows of blocks of 32 weights each. With d and m numbers of 16 bits, a block is
;;   Q4_1: d, m, 16 bytes     weight k is d · (low half of byte k) + m, weight 16 + k is d · (high half of byte k) + m
;;   Q8_0: d, 32 bytes        weight k is d · (byte k, with its sign)
;; A 16-bit number is looked up in a table of all 65,536 at address 0. All other numbers are of 32 bits.
;;
;; node tools/kernel.mjs writes kernel_bytes.js out of this file.

(module
  (import "engine" "memory" (memory 1))

  (func $sum (param $v v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.add (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))

  ;; y = W x, with W in Q4_1. The sum over a block is d · Σ q x + m · Σ x.
  ;; Four bytes of a block are taken as one integer of eight halves. Masked but not shifted, half j is 16^j times too
  ;; large, hence $x: the numbers in the order in which the halves come, each divided by 16^j, which is exact. $sums: Σ x
  ;; of each block. (The last half is shifted: masked, it would have a sign.)
  (func (export "vector4")
    (param $w i32) (param $x i32) (param $sums i32) (param $y i32) (param $rows i32) (param $blocks i32)
    (local $end i32) (local $at i32) (local $s i32) (local $q v128) (local $total v128) (local $rest f32)
    (loop $row
      (local.set $end (i32.add (local.get $w) (i32.mul (local.get $blocks) (i32.const 20))))
      (local.set $at (local.get $x))
      (local.set $s (local.get $sums))
      (local.set $total (v128.const f32x4 0 0 0 0))
      (local.set $rest (f32.const 0))
      (loop $block
        (local.set $q (v128.load offset=4 align=1 (local.get $w)))
        (local.set $total (f32x4.add (local.get $total) (f32x4.mul
          (f32x4.splat (f32.load (i32.shl (i32.load16_u align=1 (local.get $w)) (i32.const 2))))
          (f32x4.add
            (f32x4.add
              (f32x4.add
                (f32x4.mul (v128.load offset=0 (local.get $at)) (f32x4.convert_i32x4_s
                  (v128.and (local.get $q) (v128.const i32x4 0xf 0xf 0xf 0xf))))
                (f32x4.mul (v128.load offset=16 (local.get $at)) (f32x4.convert_i32x4_s
                  (v128.and (local.get $q) (v128.const i32x4 0xf0 0xf0 0xf0 0xf0)))))
              (f32x4.add
                (f32x4.mul (v128.load offset=32 (local.get $at)) (f32x4.convert_i32x4_s
                  (v128.and (local.get $q) (v128.const i32x4 0xf00 0xf00 0xf00 0xf00))))
                (f32x4.mul (v128.load offset=48 (local.get $at)) (f32x4.convert_i32x4_s
                  (v128.and (local.get $q) (v128.const i32x4 0xf000 0xf000 0xf000 0xf000))))))
            (f32x4.add
              (f32x4.add
                (f32x4.mul (v128.load offset=64 (local.get $at)) (f32x4.convert_i32x4_s
                  (v128.and (local.get $q) (v128.const i32x4 0xf0000 0xf0000 0xf0000 0xf0000))))
                (f32x4.mul (v128.load offset=80 (local.get $at)) (f32x4.convert_i32x4_s
                  (v128.and (local.get $q) (v128.const i32x4 0xf00000 0xf00000 0xf00000 0xf00000)))))
              (f32x4.add
                (f32x4.mul (v128.load offset=96 (local.get $at)) (f32x4.convert_i32x4_s
                  (v128.and (local.get $q) (v128.const i32x4 0xf000000 0xf000000 0xf000000 0xf000000))))
                (f32x4.mul (v128.load offset=112 (local.get $at)) (f32x4.convert_i32x4_s
                  (i32x4.shr_u (local.get $q) (i32.const 28))))))))))
        (local.set $rest (f32.add (local.get $rest) (f32.mul
          (f32.load (i32.shl (i32.load16_u offset=2 align=1 (local.get $w)) (i32.const 2)))
          (f32.load (local.get $s)))))
        (local.set $at (i32.add (local.get $at) (i32.const 128)))
        (local.set $s (i32.add (local.get $s) (i32.const 4)))
        (br_if $block (i32.ne (local.tee $w (i32.add (local.get $w) (i32.const 20))) (local.get $end))))
      (f32.store (local.get $y) (f32.add (call $sum (local.get $total)) (local.get $rest)))
      (local.set $y (i32.add (local.get $y) (i32.const 4)))
      (br_if $row (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; y = W x, with W in Q8_0 and $x in its own order.
  (func (export "vector8") (param $w i32) (param $x i32) (param $y i32) (param $rows i32) (param $blocks i32)
    (local $end i32) (local $at i32) (local $total v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (loop $row
      (local.set $end (i32.add (local.get $w) (i32.mul (local.get $blocks) (i32.const 34))))
      (local.set $at (local.get $x))
      (local.set $total (v128.const f32x4 0 0 0 0))
      (loop $block
        (local.set $a (v128.load8x8_s offset=2 align=1 (local.get $w)))
        (local.set $b (v128.load8x8_s offset=10 align=1 (local.get $w)))
        (local.set $c (v128.load8x8_s offset=18 align=1 (local.get $w)))
        (local.set $d (v128.load8x8_s offset=26 align=1 (local.get $w)))
        (local.set $total (f32x4.add (local.get $total) (f32x4.mul
          (f32x4.splat (f32.load (i32.shl (i32.load16_u align=1 (local.get $w)) (i32.const 2))))
          (f32x4.add
            (f32x4.add
              (f32x4.add
                (f32x4.mul (v128.load offset=0 (local.get $at))
                  (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $a))))
                (f32x4.mul (v128.load offset=16 (local.get $at))
                  (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $a)))))
              (f32x4.add
                (f32x4.mul (v128.load offset=32 (local.get $at))
                  (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $b))))
                (f32x4.mul (v128.load offset=48 (local.get $at))
                  (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $b))))))
            (f32x4.add
              (f32x4.add
                (f32x4.mul (v128.load offset=64 (local.get $at))
                  (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $c))))
                (f32x4.mul (v128.load offset=80 (local.get $at))
                  (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $c)))))
              (f32x4.add
                (f32x4.mul (v128.load offset=96 (local.get $at))
                  (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $d))))
                (f32x4.mul (v128.load offset=112 (local.get $at))
                  (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $d))))))))))
        (local.set $at (i32.add (local.get $at) (i32.const 128)))
        (br_if $block (i32.ne (local.tee $w (i32.add (local.get $w) (i32.const 34))) (local.get $end))))
      (f32.store (local.get $y) (call $sum (local.get $total)))
      (local.set $y (i32.add (local.get $y) (i32.const 4)))
      (br_if $row (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; Eight integers of 16 bits, each · $d + $m, to $out.
  (func $scaled (param $q v128) (param $d v128) (param $m v128) (param $out i32)
    (v128.store offset=0 (local.get $out) (f32x4.add (local.get $m)
      (f32x4.mul (local.get $d) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $q))))))
    (v128.store offset=16 (local.get $out) (f32x4.add (local.get $m)
      (f32x4.mul (local.get $d) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $q)))))))

  ;; The weights of one row, Q4_1, as numbers.
  (func (export "unpack4") (param $w i32) (param $out i32) (param $blocks i32)
    (local $low v128) (local $high v128) (local $d v128) (local $m v128)
    (loop $block
      (local.set $d (f32x4.splat (f32.load (i32.shl (i32.load16_u align=1 (local.get $w)) (i32.const 2)))))
      (local.set $m (f32x4.splat (f32.load (i32.shl (i32.load16_u offset=2 align=1 (local.get $w)) (i32.const 2)))))
      (local.set $high (v128.load offset=4 align=1 (local.get $w)))
      (local.set $low (v128.and (local.get $high) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))
      (local.set $high (i8x16.shr_u (local.get $high) (i32.const 4)))
      (call $scaled (i16x8.extend_low_i8x16_u (local.get $low)) (local.get $d) (local.get $m) (local.get $out))
      (call $scaled (i16x8.extend_high_i8x16_u (local.get $low)) (local.get $d) (local.get $m)
        (i32.add (local.get $out) (i32.const 32)))
      (call $scaled (i16x8.extend_low_i8x16_u (local.get $high)) (local.get $d) (local.get $m)
        (i32.add (local.get $out) (i32.const 64)))
      (call $scaled (i16x8.extend_high_i8x16_u (local.get $high)) (local.get $d) (local.get $m)
        (i32.add (local.get $out) (i32.const 96)))
      (local.set $w (i32.add (local.get $w) (i32.const 20)))
      (local.set $out (i32.add (local.get $out) (i32.const 128)))
      (br_if $block (local.tee $blocks (i32.sub (local.get $blocks) (i32.const 1))))))

  ;; The weights of one row, Q8_0, as numbers.
  (func (export "unpack8") (param $w i32) (param $out i32) (param $blocks i32)
    (local $d v128) (local $m v128)
    (loop $block
      (local.set $d (f32x4.splat (f32.load (i32.shl (i32.load16_u align=1 (local.get $w)) (i32.const 2)))))
      (call $scaled (v128.load8x8_s offset=2 align=1 (local.get $w)) (local.get $d) (local.get $m) (local.get $out))
      (call $scaled (v128.load8x8_s offset=10 align=1 (local.get $w)) (local.get $d) (local.get $m)
        (i32.add (local.get $out) (i32.const 32)))
      (call $scaled (v128.load8x8_s offset=18 align=1 (local.get $w)) (local.get $d) (local.get $m)
        (i32.add (local.get $out) (i32.const 64)))
      (call $scaled (v128.load8x8_s offset=26 align=1 (local.get $w)) (local.get $d) (local.get $m)
        (i32.add (local.get $out) (i32.const 96)))
      (local.set $w (i32.add (local.get $w) (i32.const 34)))
      (local.set $out (i32.add (local.get $out) (i32.const 128)))
      (br_if $block (local.tee $blocks (i32.sub (local.get $blocks) (i32.const 1))))))

  ;; Two rows of weights as numbers, one after the other at $w, times the columns at $x, four at a time: each number that
  ;; is read serves two or four products. $width: the bytes of a row or a column. Column c goes to $y + c · $stride.
  (func (export "tile")
    (param $w i32) (param $x i32) (param $y i32) (param $width i32) (param $stride i32) (param $fours i32)
    (local $a i32) (local $end i32) (local $x0 i32) (local $x1 i32) (local $x2 i32) (local $x3 i32)
    (local $wa v128) (local $wb v128) (local $column v128)
    (local $a0 v128) (local $a1 v128) (local $a2 v128) (local $a3 v128)
    (local $b0 v128) (local $b1 v128) (local $b2 v128) (local $b3 v128)
    (local.set $end (i32.add (local.get $w) (local.get $width)))
    (loop $four
      (local.set $a (local.get $w))
      (local.set $x0 (local.get $x))
      (local.set $x1 (i32.add (local.get $x0) (local.get $width)))
      (local.set $x2 (i32.add (local.get $x1) (local.get $width)))
      (local.set $x3 (i32.add (local.get $x2) (local.get $width)))
      (local.set $a0 (v128.const f32x4 0 0 0 0))
      (local.set $a1 (local.get $a0)) (local.set $a2 (local.get $a0)) (local.set $a3 (local.get $a0))
      (local.set $b0 (local.get $a0)) (local.set $b1 (local.get $a0))
      (local.set $b2 (local.get $a0)) (local.set $b3 (local.get $a0))
      (loop $along
        (local.set $wa (v128.load (local.get $a)))
        (local.set $wb (v128.load (i32.add (local.get $a) (local.get $width))))
        (local.set $column (v128.load (local.get $x0)))
        (local.set $a0 (f32x4.add (local.get $a0) (f32x4.mul (local.get $wa) (local.get $column))))
        (local.set $b0 (f32x4.add (local.get $b0) (f32x4.mul (local.get $wb) (local.get $column))))
        (local.set $column (v128.load (local.get $x1)))
        (local.set $a1 (f32x4.add (local.get $a1) (f32x4.mul (local.get $wa) (local.get $column))))
        (local.set $b1 (f32x4.add (local.get $b1) (f32x4.mul (local.get $wb) (local.get $column))))
        (local.set $column (v128.load (local.get $x2)))
        (local.set $a2 (f32x4.add (local.get $a2) (f32x4.mul (local.get $wa) (local.get $column))))
        (local.set $b2 (f32x4.add (local.get $b2) (f32x4.mul (local.get $wb) (local.get $column))))
        (local.set $column (v128.load (local.get $x3)))
        (local.set $a3 (f32x4.add (local.get $a3) (f32x4.mul (local.get $wa) (local.get $column))))
        (local.set $b3 (f32x4.add (local.get $b3) (f32x4.mul (local.get $wb) (local.get $column))))
        (local.set $x0 (i32.add (local.get $x0) (i32.const 16)))
        (local.set $x1 (i32.add (local.get $x1) (i32.const 16)))
        (local.set $x2 (i32.add (local.get $x2) (i32.const 16)))
        (local.set $x3 (i32.add (local.get $x3) (i32.const 16)))
        (br_if $along (i32.ne (local.tee $a (i32.add (local.get $a) (i32.const 16))) (local.get $end))))
      (f32.store (local.get $y) (call $sum (local.get $a0)))
      (f32.store offset=4 (local.get $y) (call $sum (local.get $b0)))
      (local.set $y (i32.add (local.get $y) (local.get $stride)))
      (f32.store (local.get $y) (call $sum (local.get $a1)))
      (f32.store offset=4 (local.get $y) (call $sum (local.get $b1)))
      (local.set $y (i32.add (local.get $y) (local.get $stride)))
      (f32.store (local.get $y) (call $sum (local.get $a2)))
      (f32.store offset=4 (local.get $y) (call $sum (local.get $b2)))
      (local.set $y (i32.add (local.get $y) (local.get $stride)))
      (f32.store (local.get $y) (call $sum (local.get $a3)))
      (f32.store offset=4 (local.get $y) (call $sum (local.get $b3)))
      (local.set $y (i32.add (local.get $y) (local.get $stride)))
      (local.set $x (local.get $x3)) ;; it has come to the end of the fourth column
      (br_if $four (local.tee $fours (i32.sub (local.get $fours) (i32.const 1)))))))
