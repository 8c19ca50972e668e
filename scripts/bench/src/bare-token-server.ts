// The least that can give out the same token: node:http and one signature (ES256) as auth makes it, no proof of the caller.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer } from 'node:http';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = base64url({ alg: 'ES256', kid: randomUUID(), typ: 'at+jwt' });
const clientId = randomUUID();

createServer((request, response) => {
  request.resume().on('end', () => {
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: 'https://auth.bank.test',
      aud: 'kontoport',
      sub: clientId,
      client_id: clientId,
      scope: 'PSP_AI PSP_PI',
      iat: now,
      exp: now + 3_600,
      jti: randomUUID(),
      cnf: { 'x5t#S256': 'A'.repeat(43) },
    };
    const unsigned = `${header}.${base64url(claims)}`;
    const signature = sign('sha256', Buffer.from(unsigned), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    const body = JSON.stringify({
      access_token: `${unsigned}.${signature.toString('base64url')}`,
      token_type: 'Bearer',
      expires_in: 3_600,
      scope: claims.scope,
    });
    // Without its length the answer would be written in parts.
    const headers = {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'content-length': body.length,
    };
    response.writeHead(200, headers).end(body);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
