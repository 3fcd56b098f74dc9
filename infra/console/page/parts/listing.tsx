import type { ComponentChildren } from 'preact';
import type { Ask } from '#infra/console/protocol.ts';
import { linkTo, place } from '../place.ts';
import { Curl, Table } from './basics.tsx';

/** A filter of a list: one of the values, or all. */
export function Choice({
  name,
  value,
  from,
  take,
}: {
  name: string;
  value: string;
  from: readonly string[];
  take: (value: string) => void;
}) {
  return (
    <label>
      {name}{' '}
      <select
        value={value}
        onChange={({ currentTarget }) => {
          take(currentTarget.value);
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

/** A filter of a list: what somebody writes. */
export function Written({
  name,
  value,
  placeholder,
  take,
}: {
  name: string;
  value: string;
  placeholder?: string;
  take: (value: string) => void;
}) {
  return (
    <label>
      {name}{' '}
      <input
        value={value}
        placeholder={placeholder}
        onChange={({ currentTarget }) => {
          take(currentTarget.value.trim());
        }}
      />
    </label>
  );
}

/** A page of a list, with the way to the next one and the request that reads it. */
export function Listing<T>({
  name,
  columns,
  at,
  asked,
  page: { data, nextCursor },
  row,
}: {
  name: string;
  columns: readonly string[];
  /** Screen that shows the list. */
  at: string;
  asked: Ask;
  page: { readonly data: readonly T[]; readonly nextCursor: string | null };
  row: (one: T) => ComponentChildren;
}) {
  return (
    <>
      <Table name={name} columns={columns}>
        {data.map(row)}
      </Table>
      {data.length === 0 && <p class="quiet">None here{nextCursor === null ? '.' : ' on this page.'}</p>}
      {nextCursor !== null && <a href={linkTo([at], { ...place.value.query, cursor: nextCursor })}>Older ones</a>}
      <Curl of={asked} label="This list as curl" />
    </>
  );
}
