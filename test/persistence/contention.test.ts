import { expect, test } from 'vitest';
import { retrying } from '#shared/persistence/retry.ts';
import { chances, virtualTime } from '../model/virtual-time.ts';
import { cancelled } from '../support/faulty-client.ts';

/**
 * An item on which DynamoDB runs one transaction at a time and cancels the others, as the embedded engine does not. 15
 * ms is more than a transaction of this service takes.
 */
test.each([6, 15, 25])('90 transactions that meet at one item which each holds for %i ms all pass', async (holdMs) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const time = virtualTime();
    const random = chances(seed);
    let heldUntil = 0;
    const transaction = async (): Promise<true> => {
      if (time.now() < heldUntil) {
        await time.sleep(holdMs / 2);
        throw cancelled('TransactionConflict', 'None');
      }
      heldUntil = time.now() + holdMs;
      await time.sleep(holdMs);
      return true;
    };
    const retry = retrying(time.sleep, random);
    let passed = 0;
    let failed = 0;
    for (let count = 0; count < 90; count += 1)
      time.at(random() * 5, () => {
        retry(transaction).then(
          () => (passed += 1),
          () => (failed += 1),
        );
      });
    await time.run(10_000, () => passed + failed === 90);
    expect({ passed, failed }, `seed ${seed}`).toEqual({ passed: 90, failed: 0 });
    expect(time.now(), 'within the time of a function').toBeLessThan(7000);
  }
});
