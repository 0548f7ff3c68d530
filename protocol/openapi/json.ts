/** JSON as the document is made of it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { [key: string]: Json };
