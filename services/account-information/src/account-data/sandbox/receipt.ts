/** The receipt that a simulated user attached: a PDF of one page, always the same. */
export function receipt(): { name: string; mediaType: 'application/pdf'; content: Buffer } {
  return { name: 'Kvittering – Cykelsmeden.pdf', mediaType: 'application/pdf', content: pdfOf(LINES) };
}

const LINES = [
  'Cykelsmeden',
  'Kvittering',
  'Citybike, 7 gear  6.499,00',
  'I alt DKK  6.499,00',
  'Betalt med kort',
];

/** One page of lines; bytes are ASCII, so that offsets are lengths (ISO 32000, 7.5). */
function pdfOf(lines: readonly string[]): Buffer {
  const text = `BT /F1 12 Tf 16 TL 40 360 Td ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 298 420] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R >>\n`;
  return Buffer.from(`${file}${end}startxref\n${file.length}\n%%EOF\n`, 'latin1');
}
