// @ts-check
// The style that every part of the front wears.
import css from './style.css';

export const look = css;
