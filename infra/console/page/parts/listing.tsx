import type { Ask } from '#infra/console/protocol.ts';
import { go, linkTo, place } from '../place.ts';
import type { Column, Row } from './basics.tsx';
import { Curl, Table } from './basics.tsx';

type Filter = { label: string; field: string };

/** The value of a filter in the address, and a function that sets it and shows the first page. */
function filterOf(field: string): readonly [value: string, set: (value: string) => void] {
  const { screen, query } = place.value;
  const set = (value: string): void => {
    go(linkTo([screen], { ...query, cursor: '', [field]: value }));
  };
  return [query[field] ?? '', set];
}

/** A filter of a list: one of the values, or all. */
export function Choice({ label, field, from }: Filter & { from: readonly string[] }) {
  const [value, set] = filterOf(field);
  return (
    <label>
      {label}{' '}
      <select
        value={value}
        onChange={({ currentTarget }) => {
          set(currentTarget.value);
        }}
      >
        <option value="">all</option>
        {from.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A filter of a list: a text. */
export function Written({ label, field, placeholder }: Filter & { placeholder?: string }) {
  const [value, set] = filterOf(field);
  return (
    <label>
      {label}{' '}
      <input
        value={value}
        placeholder={placeholder}
        onChange={({ currentTarget }) => {
          set(currentTarget.value.trim());
        }}
      />
    </label>
  );
}

/** A page of a list, with the way to the next one and the request that reads it. */
export function Listing<T>({
  name,
  columns,
  asked,
  page: { data, nextCursor },
  row,
}: {
  name: string;
  columns: readonly Column[];
  asked: Ask;
  page: { readonly data: readonly T[]; readonly nextCursor: string | null };
  row: (one: T) => Row;
}) {
  const { screen, query } = place.value;
  return (
    <>
      <Table name={name} columns={columns} rows={data.map(row)} />
      {data.length === 0 && <p class="quiet">None here{nextCursor === null ? '.' : ' on this page.'}</p>}
      {nextCursor !== null && <a href={linkTo([screen], { ...query, cursor: nextCursor })}>Older ones</a>}
      <Curl of={asked} label="This list as curl" />
    </>
  );
}
