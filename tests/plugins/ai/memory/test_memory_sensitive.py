import pytest

from plugins.ai.memory.sensitive import is_health, is_secret


@pytest.mark.parametrize(
    "text",
    [
        "The password is hunter2",
        "Uses the passphrase 'correct horse'",
        "My PIN is 1234",
        "Su PIN es 1234",
        "Su contraseña es gato",
        "Mi número secreto es el 4",
        "A senha é gato",
        "O código de segurança é 123",
        "密码是 abc",
        "Has the API key sk-abcdefghijklmnop1234",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "Pays with 4111 1111 1111 1111",
        "Paga con 5500-0000-0000-0004",
        "378282246310005",
        "ES91 2100 0418 4502 0005 1332",
        "Has the IBAN DE89370400440532013000",
        "Account number 12345678",
        "Su cuenta es 0049 1500 05",
        "银行账号 62220000123",
        "SSN 078-05-1120",
        "078 05 1120",
        "12345678Z",
        "Su DNI es 12.345.678-Z",
        "X1234567L",
        "529.982.247-25",
        "Passport K1234567",
        "El pasaporte es AAA123456",
        "11010519491231002X",
        "身份证 123456",
        "GOMC560129HDFNRR08",
    ],
)
def test_secrets_are_told(text: str) -> None:
    assert is_secret(text)
    assert is_secret(text.upper())
    assert is_secret(f"She said: {text}!")


@pytest.mark.parametrize(
    "text",
    [
        "Likes tea",
        "Born on 1990-05-12",
        "Lives at number 12, 28013 Madrid",
        "Reachable at +34 600 123 456",
        "Works for ACME since 2019",
        "Likes pinball and pine trees",
        "Pays by credit card",
        "Earns 45,000 a year",
        "Ran 42.195 km in 3:45:10",
        "Is a member of the carnival club",
        "Reads 1984 and 2001",
        "Le gusta el número 12345678A",
        "喜欢喝茶",
    ],
)
def test_all_else_is_left_alone(text: str) -> None:
    assert not is_secret(text)
    assert not is_health(text)


@pytest.mark.parametrize(
    "number",
    ["4111 1111 1111 1112", "ES91 2100 0418 4502 0005 1333", "12345678A", "529.982.247-26"],
)
def test_a_number_with_a_wrong_check_digit_is_no_secret(number: str) -> None:
    assert not is_secret(f"Likes {number}")


@pytest.mark.parametrize(
    "text",
    [
        "Is allergic to nuts",
        "Has diabetes",
        "Was diagnosed with ADHD",
        "Takes medication for the heart",
        "Is pregnant",
        "Es alérgica al polen",
        "Tiene depresión",
        "Está embarazada",
        "Tem alergia a glúten",
        "Está grávida",
        "对花生过敏",
        "患有抑郁症",
    ],
)
def test_health_is_told(text: str) -> None:
    assert is_health(text)
    assert is_health(text.upper())
