/** The path of the reference at every address. */
export const DOCUMENTATION_PATH = '/documentation';

/** The path of the guides at every address. */
export const GUIDES_PATH = '/guides';

/** The path of the script of reference and guides. */
export const DEVELOPER_SCRIPT_PATH = `${DOCUMENTATION_PATH}/reference.js`;

/** Served to pages of the reference and to guides: everything works without it. It filters the list beside the text, and copies code. */
export const REFERENCE_SCRIPT = `'use strict';
const search = document.querySelector('#search');
const items = [...document.querySelectorAll('#contents nav li')];
search?.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const item of items) item.hidden = !words.every((word) => item.textContent.toLowerCase().includes(word));
});
for (const block of document.querySelectorAll('pre')) {
  const button = document.createElement('button');
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = 'Copied';
  });
  block.before(button);
}
const chosen = 'kontoport.language';
for (const sample of document.querySelectorAll('details.sample')) {
  if (sample.id === localStorage.getItem(chosen)) sample.open = true;
  sample.addEventListener('toggle', () => sample.open && localStorage.setItem(chosen, sample.id));
}
`;
