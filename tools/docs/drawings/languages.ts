/** The languages of the guide; codes and names of fields are the same in both. */
export const languages = ['en', 'pt-BR'] as const;
export type Language = (typeof languages)[number];
export type Text = Readonly<Record<Language, string>>;

/** Folders of the guide below docs/. */
export const folders: Readonly<Record<Language, string>> = { en: '', 'pt-BR': 'pt-BR/' };
