/*
 * The machine's random numbers, before any module keeps `Math.random` for later: every module draws from the world's
 * seed.
 */

let draw = Math.random.bind(Math);
Math.random = () => draw();

/** Whether digits fall alike, so that numbers which are drawn collide. */
let isUnlucky = false;

/** A digit, or another whole number below this. */
export function drawBelow(below: number): number {
  return isUnlucky && below === 10 && draw() < alike ? 0 : Math.floor(draw() * below);
}
const alike = 0.9;

export function beUnlucky(): void {
  isUnlucky = true;
}

export function drawFrom(random: () => number): void {
  draw = random;
}
