/**
 * A self-signed certificate for 127.0.0.1, valid until 2126, and its key: for tests of TLS on loopback, worthless
 * elsewhere. Made by `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 …`.
 */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBpjCCAUygAwIBAgIUCSZYnWxNQDTEawFaZO35g2Oe0yUwCgYIKoZIzj0EAwIw
HzEdMBsGA1UEAwwUc2NyaXB0ZWQgdGVzdCBzZXJ2ZXIwIBcNMjYxMTIxMTIxMTQ5
WhgPMjEyNjEwMjgxMjExNDlaMB8xHTAbBgNVBAMMFHNjcmlwdGVkIHRlc3Qgc2Vy
dmVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE//sOnAZd8VED5qm8c+NnHMKb
N4HadWP+c47srAewS3UJ3AVDtsLdXUdUBfWNat34ckpiGV6iH3y0vymRYnljqaNk
MGIwHQYDVR0OBBYEFJ0jFgILSsPlNPipoygaLBx/6FHRMB8GA1UdIwQYMBaAFJ0j
FgILSsPlNPipoygaLBx/6FHRMA8GA1UdEwEB/wQFMAMBAf8wDwYDVR0RBAgwBocE
fwAAATAKBggqhkjOPQQDAgNIADBFAiEAs4az4r96XlUVAnBzk24rB+LbCYtq02X1
HyIZCqNQJusCIHI15ZtyhSbETtfd6T9iq8O3bUVuevGC8ESBgkVIzOwQ
-----END CERTIFICATE-----
`;

export const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg07NY1Zagg/D++Da2
mjeUPTScZRVJ32E/vQyD9/NloLChRANCAAT/+w6cBl3xUQPmqbxz42ccwps3gdp1
Y/5zjuysB7BLdQncBUO2wt1dR1QF9Y1q3fhySmIZXqIffLS/KZFieWOp
-----END PRIVATE KEY-----
`;

/** A certificate of the same key that expired in 2021. */
export const expiredCertificate = `-----BEGIN CERTIFICATE-----
MIIBcDCCARagAwIBAgIBATAKBggqhkjOPQQDAjAfMR0wGwYDVQQDDBRzY3JpcHRl
ZCB0ZXN0IHNlcnZlcjAeFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEwMDAwMDBaMB8x
HTAbBgNVBAMMFHNjcmlwdGVkIHRlc3Qgc2VydmVyMFkwEwYHKoZIzj0CAQYIKoZI
zj0DAQcDQgAE//sOnAZd8VED5qm8c+NnHMKbN4HadWP+c47srAewS3UJ3AVDtsLd
XUdUBfWNat34ckpiGV6iH3y0vymRYnljqaNDMEEwDwYDVR0TAQH/BAUwAwEB/zAP
BgNVHREECDAGhwR/AAABMB0GA1UdDgQWBBSdIxYCC0rD5TT4qaMoGiwcf+hR0TAK
BggqhkjOPQQDAgNIADBFAiBdzzs+rkoQEZog84LOBkVKrBBhkIeElkWqkfrBAmkf
1QIhAJXM7b9i9o2Po7fnxUOb/FRk8gU/0PA1ZJmoZRqVnyEV
-----END CERTIFICATE-----
`;
