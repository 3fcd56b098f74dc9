// The least that a verifier does: reads the lines of a file, parses each and hashes it. Prints their number.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

let count = 0;
const hash = createHash('sha256');
for await (const line of createInterface({ input: createReadStream(process.argv[2] ?? ''), crlfDelay: Infinity })) {
  hash.update(JSON.stringify(JSON.parse(line)));
  count += 1;
}
console.log(count);
