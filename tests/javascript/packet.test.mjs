// Packets are read as encoder/packet/README.md says, and what is no whole packet is refused with a sentence.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { PacketError, at, crc32, read, row } from '../../encoder/browser/packet.js';

const shipped = new URL('../../encoder/packet/shipped/the-keys-to-the-cabinet-mask-on-the-table.packet', import.meta.url);
const whole = () => new Uint8Array(readFileSync(shipped));
/** A packet made by hand: two shares, two signed values and one number. */
function made(version = 1, type = 'u16') {
  const about = { tokens: ['é'], level: 2, arrays: {
    shares: { type, shape: [1, 3], at: 0, scale: 1 / 65534 }, signed: { type: 'i16', shape: [2], at: 8, scale: 0.5 }, exact: { type: 'f32', shape: [1], at: 16 },
  } };
  let text = new TextEncoder().encode(JSON.stringify(about));
  const header = new Uint8Array(Math.ceil((16 + text.length) / 8) * 8 - 16).fill(32);
  header.set(text);
  const bytes = new Uint8Array(16 + header.length + 24), view = new DataView(bytes.buffer), start = 16 + header.length;
  bytes.set(new TextEncoder().encode('ENCP'));
  view.setUint16(4, version, true);
  view.setUint16(6, 2, true);
  view.setUint32(8, header.length, true);
  bytes.set(header, 16);
  [0, 65534, 65535].forEach((value, i) => view.setUint16(start + 2 * i, value, true));
  [-32768, -3].forEach((value, i) => view.setInt16(start + 8 + 2 * i, value, true));
  view.setFloat32(start + 16, 0.25, true);
  view.setUint32(12, crc32(bytes.subarray(16)), true);
  return bytes;
}

test('the checksum is that of zip', () => assert.equal(crc32(new TextEncoder().encode('123456789')), 0xcbf43926));

test('numbers are those that were written, and what is none is NaN', () => {
  const { level, about, arrays } = read(made().buffer);
  assert.equal(level, 2);
  assert.deepEqual(about, { tokens: ['é'] });
  assert.deepEqual([...row(arrays.shares, 0)], [0, 1, NaN]);
  assert.deepEqual([at(arrays.signed, 0), at(arrays.signed, 1), at(arrays.exact, 0)], [NaN, -1.5, 0.25]);
  assert.ok(Number.isNaN(at(arrays.signed, 2)) && Number.isNaN(at(arrays.shares, 0, -1)));
});

test('bytes that stand in a larger buffer are read too', () => {
  const bytes = made(), larger = new Uint8Array(bytes.length + 3);
  larger.set(bytes, 3);
  assert.equal(at(read(larger.subarray(3)).arrays.exact, 0), 0.25);
});

test('what is no packet, too new, cut or changed is refused with a sentence', () => {
  const html = new TextEncoder().encode('<!doctype html><title>App</title>');
  const changed = whole();
  changed[changed.length - 9] ^= 1;
  const inside = whole();
  inside[40] ^= 4;
  const level = whole();
  level[6] ^= 3;
  const cases = [[level, /changed/], [html, /not a run/], [new Uint8Array(0), /not a run/], [made(2), /newer/], [made(1, 'f64'), /kind/], [changed, /changed/], [inside, /changed/]];
  for (const end of [3, 15, 16, 200, 5000, whole().length - 1]) cases.push([whole().subarray(0, end), /a part of the run/]);
  for (const [bytes, said] of cases) {
    assert.throws(() => read(bytes), error => error instanceof PacketError && said.test(error.message) && /^[A-Z].*\.$/.test(error.message), said);
  }
});
