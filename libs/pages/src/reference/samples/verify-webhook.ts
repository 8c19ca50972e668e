/**
 * Programs that verify the signature of a webhook (§5.8), by the language of the sample. Each reads the body from the standard input,
 * `SUBSCRIPTION_KEY` and the header `X-HMAC-Signature` as `SIGNATURE` from the environment, and prints `valid` or `invalid`.
 */
export const VERIFIERS: Readonly<Record<string, string>> = {
  sh: `expected=$(openssl dgst -sha256 -hmac "$SUBSCRIPTION_KEY" -hex | sed 's/^.* //')
if [ "$expected" = "$SIGNATURE" ]; then echo valid; else echo invalid; fi`,

  ts: `import { createHmac, timingSafeEqual } from 'node:crypto';
import { buffer } from 'node:stream/consumers';

const { SUBSCRIPTION_KEY = '', SIGNATURE = '' } = process.env;
const expected = createHmac('sha256', SUBSCRIPTION_KEY).update(await buffer(process.stdin)).digest('hex');
const [given, wanted] = [Buffer.from(SIGNATURE), Buffer.from(expected)];
console.log(given.length === wanted.length && timingSafeEqual(given, wanted) ? 'valid' : 'invalid');`,

  python: `import hashlib
import hmac
import os
import sys

key = os.environ["SUBSCRIPTION_KEY"].encode()
expected = hmac.new(key, sys.stdin.buffer.read(), hashlib.sha256).hexdigest()
given = os.fsencode(os.environ["SIGNATURE"])
print("valid" if hmac.compare_digest(expected.encode(), given) else "invalid")`,

  java: `import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Sample {
  public static void main(String[] arguments) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(System.getenv("SUBSCRIPTION_KEY").getBytes("UTF-8"), "HmacSHA256"));
    String expected = HexFormat.of().formatHex(mac.doFinal(System.in.readAllBytes()));
    byte[] given = System.getenv("SIGNATURE").getBytes("UTF-8");
    System.out.println(MessageDigest.isEqual(expected.getBytes("UTF-8"), given) ? "valid" : "invalid");
  }
}`,

  go: `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

func main() {
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	mac := hmac.New(sha256.New, []byte(os.Getenv("SUBSCRIPTION_KEY")))
	mac.Write(body)
	given, err := hex.DecodeString(os.Getenv("SIGNATURE"))
	if err == nil && hmac.Equal(mac.Sum(nil), given) {
		fmt.Println("valid")
	} else {
		fmt.Println("invalid")
	}
}`,

  csharp: `using System.Security.Cryptography;
using System.Text;

using var body = new MemoryStream();
await Console.OpenStandardInput().CopyToAsync(body);
var key = Encoding.UTF8.GetBytes(Environment.GetEnvironmentVariable("SUBSCRIPTION_KEY")!);
var expected = Convert.ToHexString(HMACSHA256.HashData(key, body.ToArray())).ToLowerInvariant();
var given = Encoding.UTF8.GetBytes(Environment.GetEnvironmentVariable("SIGNATURE")!);
Console.WriteLine(CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(expected), given) ? "valid" : "invalid");`,
};
