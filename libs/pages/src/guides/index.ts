export { Guides } from './guides.ts';
