import { duePartition } from '#shared/platform/table/due-keys.ts';
import type { Store, Write } from '#shared/platform/table/store.ts';

/** How the partitions of one company's due work end their beginning: `C#company#DUE#kind`. */
const due = duePartition('', 'PAY_IN_EXPIRY').replace('PAY_IN_EXPIRY', '').slice(2);

/**
 * A table as the build of production writes it (`#company-due`): nothing stands in the due work of its company. Tests
 * hold the other build.
 */
export function productionStore(store: Store): Store {
  return {
    ...store,
    write: (writes, token) => store.write(writes.map(asInProduction), token),
    writeOne: (write) => store.writeOne(asInProduction(write)),
  };
}

function asInProduction<W extends Write>(write: W): W {
  if ('put' in write) return { ...write, put: withoutCompanyDue(write.put) };
  return 'update' in write && write.set !== undefined ? { ...write, set: withoutCompanyDue(write.set) } : write;
}

function withoutCompanyDue<Attributes extends object>(attributes: Attributes): Attributes {
  const kept = Object.entries(attributes).filter(
    ([name, value]) => name !== 'GSI2PK' || !(typeof value === 'string' && value.includes(due)),
  );
  return Object.fromEntries(kept) as Attributes;
}
