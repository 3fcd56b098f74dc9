import type { ComponentChildren } from 'preact';
import type { OperationId } from '#infra/console/protocol.ts';
import { Load } from '../loading.tsx';
import { go, linkTo, place } from '../place.ts';
import type { Column, Row } from './basics.tsx';
import { Curl, Table, valueTo } from './basics.tsx';

type Filter = { label: string; field: string };

/** The value of a filter in the address, and a setter that returns to the first page. */
function filterOf(field: string): readonly [value: string, set: (value: string) => void] {
  const { screen, query } = place.value;
  const set = (value: string): void => {
    go(linkTo([screen], { ...query, cursor: '', skip: '', [field]: value.trim() }));
  };
  return [query[field] ?? '', set];
}

/** A filter by one of the values, or all. With `all` empty there is no such choice: the first value stands for none. */
export function Choice({ label, field, from, all = 'all' }: Filter & { from: readonly string[]; all?: string }) {
  const [value, set] = filterOf(field);
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={valueTo(set)}>
        {all !== '' && <option value="">{all}</option>}
        {from.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A filter by a text. */
export function Written({ label, field, placeholder }: Filter & { placeholder?: string }) {
  const [value, set] = filterOf(field);
  return (
    <label>
      {label} <input value={value} placeholder={placeholder} onChange={valueTo(set)} />
    </label>
  );
}

type ListingProps<T> = {
  name: string;
  columns: readonly Column[];
  operation: OperationId;
  read: (query: Readonly<Record<string, string>>) => Promise<Page<T>>;
  row: (one: T) => Row;
  /** Filters. */
  children: ComponentChildren;
};
type Page<T> = { readonly data: readonly T[]; readonly nextCursor: string | null };

/** A list with its filters: one page, the link to the next one, and the request. */
export function Listing<T>({ name, columns, operation, read, row, children }: ListingProps<T>) {
  const { companyId, screen, query } = place.value;
  const asked = { operation, query: { limit: '50', ...query } };
  return (
    <>
      <div class="filters" role="search">
        {children}
      </div>
      <Load name={JSON.stringify([companyId, screen, query])} read={() => read(asked.query)}>
        {({ data, nextCursor }, isStale) => (
          <>
            <Table name={name} columns={columns} rows={data.map(row)} />
            {data.length === 0 && !isStale && (
              <p class="quiet">None here{nextCursor === null ? '.' : ' on this page.'}</p>
            )}
            {nextCursor !== null && <a href={linkTo([screen], { ...query, cursor: nextCursor })}>Older ones</a>}
            <Curl of={asked} label="This list as curl" />
          </>
        )}
      </Load>
    </>
  );
}
