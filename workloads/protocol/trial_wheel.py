"""Builds the wheel of scalestudy_trial.py with Python's own library, so that pip needs neither network
nor setuptools (PEP 517)."""
import base64
import hashlib
import os
import zipfile

VERSION = "0.1.0"
NAME = "scalestudy_trial"
INFO = f"{NAME}-{VERSION}.dist-info"
METADATA = f"""Metadata-Version: 2.1
Name: scalestudy-trial
Version: {VERSION}
Summary: Writes the record of a trial for scalestudy
Requires-Python: >=3.8
"""
WHEEL = """Wheel-Version: 1.0
Generator: scalestudy
Root-Is-Purelib: true
Tag: py3-none-any
"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with open(f"{NAME}.py", encoding="utf-8") as module:
        files = {f"{NAME}.py": module.read(), f"{INFO}/METADATA": METADATA, f"{INFO}/WHEEL": WHEEL}
    record = ""
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w") as archive:
        for path, text in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
            record += f"{path},sha256={digest.decode()},{len(text.encode())}\n"
            archive.writestr(path, text)
        archive.writestr(f"{INFO}/RECORD", record + f"{INFO}/RECORD,,\n")
    return wheel
