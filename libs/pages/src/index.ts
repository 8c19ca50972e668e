export type { Brand } from './brand.ts';
export { escapeHtml, html, Html } from './html.ts';
export { type Addresses, type Page, PAGE_HEADERS, type RenderedPage, Shell } from './page.ts';
