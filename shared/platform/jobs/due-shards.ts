/**
 * The place of a company among so many, from 0. FNV-1a: companies spread evenly, and one company always comes to the
 * same shard.
 */
export function shardOf(companyId: string, dueShards: number): number {
  let hash = 0x811c9dc5;
  for (const character of companyId) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash % dueShards;
}
