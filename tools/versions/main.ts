// npm run tool -- tools/versions/main.ts: compares the OpenAPI document with that of the last release, and fails on a
// break. With --release it keeps the document as that of its version, unless it breaks the last one or is kept already.
import { parseArgs } from 'node:util';
import { compareDocuments } from './compare.ts';
import { currentDocument, currentRelease, keepRelease, keptReleases, lastRelease, refusalOf } from './releases.ts';

const { values } = parseArgs({ options: { release: { type: 'boolean', default: false } } });
if (values.release) {
  const release = currentRelease();
  const refusal = refusalOf(keptReleases(), release);
  console.log(refusal ?? `Wrote ${keepRelease(release)}.`);
  process.exitCode = refusal === undefined ? 0 : 1;
} else {
  const { version, document } = lastRelease();
  const found = compareDocuments(document, currentDocument());
  for (const { place, change, breaks } of found) console.log(`${breaks ? 'BREAKS' : 'adds'}  ${place}: ${change}`);
  const breaks = found.filter((one) => one.breaks).length;
  console.log(`${found.length} differences from ${version}, of which ${breaks} break a client.`);
  process.exitCode = breaks > 0 ? 1 : 0;
}
