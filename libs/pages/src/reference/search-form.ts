import { html, type Html } from '../html.ts';
import { DOCUMENTATION_PATH } from './script.ts';

/** The search of reference and guides. */
export function searchForm(search = ''): Html {
  return html`<form action="${DOCUMENTATION_PATH}" role="search">
    <label for="search">Search reference and guides</label>
    <input id="search" name="q" type="search" maxlength="100" value="${search}" />
    <button>Search</button>
  </form>`;
}
