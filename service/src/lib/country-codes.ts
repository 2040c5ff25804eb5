/** The countries that have a repository of their own. */
export const COUNTRY_CODES = ['US', 'EDU', 'UK', 'FR', 'DE', 'IR', 'ES', 'CH'] as const

export type CountryCode = (typeof COUNTRY_CODES)[number]
