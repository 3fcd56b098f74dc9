/** Returns our id (a UUID) without hyphens: the bank takes only letters and digits. */
export function bankId(reference: string): string {
  return reference.replaceAll('-', '');
}

export function documentField({ type, number }: { readonly type: 'CPF' | 'CNPJ'; readonly number: string }): object {
  return type === 'CPF' ? { cpf: number } : { cnpj: number };
}
