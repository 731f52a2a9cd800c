// @ts-check
// Reads a run's packet: the bytes that encoder/packet/README.md describes. Nothing here asks or draws.

/** @typedef {{values: Float32Array | Uint16Array | Int16Array, shape: number[], scale: number, type: string}} Numbers */
/** @typedef {{name: string, digest: string, layers: number, heads: number, d_model: number, d_head: number, d_ff: number, untrained?: boolean, wordless?: boolean}} Model */
/**
 * The header of a packet: level 1 has all but `layer`, level 2 may have less.
 * @typedef {{
 *   sentence: string, second: string, tokens: string[], kinds: string[], words: [number, number][], names: string[],
 *   hidden: number[], edits: string, model: Model, rows: number[], gap: number,
 *   guesses: Record<string, [string, number][]>, off?: {words: string[], shares?: number[]} | null,
 *   layer?: number, answer?: Labels, tempts?: string, evidence?: Evidence[] | null, carries?: Carriers[], mask_value?: number | null, windows?: (number | null)[], notes?: string[], changes?: string[],
 *   heads?: import('./jobs.js').Known, positions?: number[], vocabulary?: string[], ids?: number[], vocab_size?: number, own?: number[], unknown?: number[], mask?: string | null, why?: string, spans?: [number, number, number][],
 * }} About
 */
/** The labels of a model that names some, each of a sentence or of a token; of a regression `values` are its numbers. @typedef {{labels: string[], of: 'sentence' | 'token', problem: 'single_label' | 'multi_label' | 'regression', values?: Record<string, number[]>}} Labels */
/** A sentence about a head over many sentences; `here`: about a gap like this one. @typedef {{layer: number, head: number, key: string, args: Record<string, string | number>, here: boolean}} Evidence */
/** Heads that carry `share` of a change to the gap together, each its own alone, in so many pairs; `tells` says in plain words what they carry; `natural`: people wrote the pairs. @typedef {{heads: [layer: number, head: number, share: number][], tells: string, natural: boolean, share: number, count: number}} Carriers */
/** @typedef {{level: number, about: About, arrays: Record<string, Numbers>}} Packet */
/** @typedef {{type: string, shape: number[], at: number, scale?: number}} Place */

export const VERSION = 1;
const BEGIN = 16; // bytes before the header
const NONE = { u16: 65535, i16: -32768, f32: NaN };
const KINDS = { u16: Uint16Array, i16: Int16Array, f32: Float32Array };
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** What is wrong with a packet, as one sentence for a person. */
export class PacketError extends Error {}

/** The CRC-32 of bytes, as zip and PNG have it. @param {Uint8Array} bytes */
export function crc32(bytes) {
  let rest = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) rest = TABLE[(rest ^ bytes[i]) & 255] ^ (rest >>> 8);
  return (rest ^ 0xffffffff) >>> 0;
}

/**
 * The packet that bytes hold.
 * @param {ArrayBuffer | Uint8Array} buffer
 * @returns {Packet}
 */
export function read(buffer) {
  const bytes = buffer instanceof Uint8Array ? new Uint8Array(buffer) : new Uint8Array(buffer, 0);
  const view = new DataView(bytes.buffer);
  if (String.fromCharCode(...bytes.subarray(0, 4)) !== 'ENCP'.slice(0, bytes.length) || !bytes.length) {
    throw new PacketError('What came is not a run of the model: reload the page.');
  }
  if (bytes.length < BEGIN) throw new PacketError('Only a part of the run came: try again.');
  const version = view.getUint16(4, true);
  if (version > VERSION) {
    throw new PacketError(`This run is written in a newer way (${version}) than this page can read (${VERSION}): reload the page.`);
  }
  const start = BEGIN + view.getUint32(8, true);
  const right = crc32(bytes.subarray(BEGIN)) === view.getUint32(12, true);
  const header = start <= bytes.length ? headerOf(bytes.subarray(BEGIN, start), right) : null;
  if (!header || endOf(header, start) > bytes.length) throw new PacketError('Only a part of the run came: try again.');
  const { arrays, level, ...about } = header;
  if (!right || level !== view.getUint16(6, true)) throw new PacketError('The run was changed on its way: try again.');
  const named = Object.entries(arrays).map(([name, place]) => [name, numbers(bytes.buffer, start, place)]);
  return { level, about, arrays: Object.fromEntries(named) };
}

/**
 * The header; null where the bytes are none. Of a packet that was changed it is only asked how long that should be.
 * @param {Uint8Array} bytes
 * @param {boolean} right
 * @returns {(About & {level: number, arrays: Record<string, Place>}) | null}
 */
function headerOf(bytes, right) {
  try {
    const header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (right) Object.values(header.arrays).forEach(kindOf);
    else endOf(header, 0);
    return header;
  } catch (error) {
    if (right && error instanceof PacketError) throw error;
    if (right) return null;
    throw new PacketError('The run was changed on its way: try again.');
  }
}

/** How many bytes a packet has. @param {{arrays: Record<string, Place>}} header @param {number} start */
const endOf = ({ arrays }, start) => Math.max(start, ...Object.values(arrays).map(one => start + one.at + count(one) * kindOf(one).BYTES_PER_ELEMENT));

/** @param {Place} place */
const count = place => place.shape.reduce((product, size) => product * size, 1);

/** @param {Place} place */
function kindOf(place) {
  if (!(place.type in KINDS)) throw new PacketError(`This run holds numbers of a kind that this page cannot read (${place.type}): reload the page.`);
  return KINDS[/** @type {keyof typeof KINDS} */ (place.type)];
}

/** @param {ArrayBuffer} buffer @param {number} start @param {Place} place @returns {Numbers} */
function numbers(buffer, start, place) {
  const values = new (kindOf(place))(buffer, start + place.at, count(place));
  return { values, shape: place.shape, scale: place.scale ?? 1, type: place.type };
}

/** Where the numbers of an index begin. @param {Numbers} array @param {number[]} index */
function offset(array, index) {
  let place = 0;
  for (let axis = 0; axis < array.shape.length; axis++) {
    const at = axis < index.length ? index[axis] : 0;
    if (!(at >= 0 && at < array.shape[axis])) return -1;
    place = place * array.shape[axis] + at;
  }
  return place;
}

/** @param {Numbers} array @param {number} place */
function number(array, place) {
  const value = array.values[place];
  return value === NONE[/** @type {keyof typeof NONE} */ (array.type)] ? NaN : array.type === 'f32' ? value : value * array.scale;
}

/** One number; NaN for what is no finite number, and outside the array. @param {Numbers} array @param {...number} index */
export function at(array, ...index) {
  const place = offset(array, index);
  return place < 0 ? NaN : number(array, place);
}

/** The numbers along the axes that the index leaves open, as one row. @param {Numbers} array @param {...number} index */
export function row(array, ...index) {
  const size = array.shape.slice(index.length).reduce((product, one) => product * one, 1);
  const place = offset(array, index), { values, scale } = array, numbers = new Float32Array(size).fill(NaN);
  if (place < 0) return numbers;
  const none = NONE[/** @type {keyof typeof NONE} */ (array.type)];
  for (let i = 0; i < size; i++) if (values[place + i] !== none) numbers[i] = values[place + i] * scale;
  return numbers;
}
