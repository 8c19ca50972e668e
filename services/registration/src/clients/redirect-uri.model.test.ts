import { redirectUriFault, redirectUriKey } from './redirect-uri.model.ts';

const development = { loopbackHttp: true };
const production = { loopbackHttp: false };

describe('a redirect URI (§2.1)', () => {
  it.each([
    'https://tpp.example',
    'https://tpp.example/',
    'https://tpp.example:8443/a/b?c=d&e=%20',
    'HTTPS://tpp.example/',
    'https://xn--bcher-kva.example/callback',
    'https://192.0.2.1/callback',
    'https://[2001:db8::1]/callback',
    'https://localhost/callback',
  ])('may be %s', (uri) => {
    expect(redirectUriFault(uri, production)).toBeUndefined();
  });

  it.each([
    ['', /absolute/],
    ['tpp.example/callback', /absolute/],
    ['/callback', /absolute/],
    ['//tpp.example/callback', /absolute/],
    ['https:tpp.example', /absolute/],
    ['https:/tpp.example', /absolute/],
    ['https:///tpp.example', /absolute/],
    ['https://', /absolute/],
    ['https:\\\\tpp.example', /absolute/],
    [' https://tpp.example', /absolute/],
    ['https://tpp.example/a b', /absolute/],
    ['https://tpp.example/\n', /absolute/],
    ['https://tpp.example/%zz', /absolute/],
    ['https://bücher.example/', /absolute/],
    ['https://tpp.example:99999/', /absolute/],
    ['javascript:alert(1)', /absolute/],
    ['com.example.app:/callback', /absolute/],
    ['ftp://tpp.example/', /absolute/],
    ['https://tpp.example/#', /fragment/],
    ['https://tpp.example/#/route', /fragment/],
    ['https://user@tpp.example/', /user information/],
    ['https://user:secret@tpp.example/', /user information/],
    ['https://@tpp.example/', /user information/],
    ['https://*.tpp.example/', /plain host/],
    ['https://tpp..example/', /plain host/],
    ['http://tpp.example/', /localhost/],
    ['http://localhost.tpp.example/', /localhost/],
    ['http://127.0.0.2/', /localhost/],
    [`https://tpp.example/${'a'.repeat(2_000)}`, /longer/],
  ])('may not be %j', (uri, fault) => {
    expect(redirectUriFault(uri, development)?.in('en')).toMatch(fault);
  });

  it.each(['http://localhost:3000/cb', 'http://127.0.0.1/cb', 'http://[::1]:8080/cb'])(
    'may be %s during development only',
    (uri) => {
      expect(redirectUriFault(uri, development)).toBeUndefined();
      expect(redirectUriFault(uri, production)?.in('en')).toMatch(/https/);
    },
  );

  it('is a duplicate of one that browsers treat as the same', () => {
    expect(redirectUriKey('HTTPS://TPP.example:443')).toBe(redirectUriKey('https://tpp.example/'));
    expect(redirectUriKey('https://tpp.example/a')).not.toBe(redirectUriKey('https://tpp.example/A'));
  });
});
